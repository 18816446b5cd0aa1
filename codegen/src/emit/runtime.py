# What every module needs, whatever its kernel: errors, arithmetic of sizes, buffers.
class LiftError(Exception):
    """A run that failed: what is wrong, and where in the program."""


_MOST_ELEMENTS = 2013265920
_DTYPES = {"Int": np.int32, "Long": np.int64, "Float": np.float32, "Double": np.float64, "Bool": np.uint8}


def _mod(a, b):
    return a % b if b > 0 else -1


def _div(a, b):
    return a // b if b > 0 else -1


class _Sizes:
    """Sizes from the shapes of inputs: a length that is a name has its value where it is met first."""

    def __init__(self, names, given):
        self.values = {name: int(value) for name, value in given.items() if value is not None}
        for name in self.values:
            if name not in names:
                raise LiftError(f"there is no size {name}")
        for name in LONGEST:
            self.values[name] = 0

    def find(self, layout, value):
        kind = layout[0]
        if kind == "tuple":
            for part, v in zip(layout[1], value):
                self.find(part, v)
        elif kind in ("array", "packed"):
            _, name, _, element = layout[:4]
            if _is_flat(layout, value):
                return
            if name is not None:
                self.values.setdefault(name, len(value))
            # One row tells the shape of all, but for lengths that each has for itself.
            for row in value if _dynamic(element) or kind == "packed" else value[:1]:
                self.find(element, row)
        elif kind == "exists":
            for _, _, _, longest in layout[1]:
                if longest in LONGEST:
                    self.values[longest] = max(self.values[longest], len(value))
            self.find(layout[2], value)


class _Pour:
    """Values of inputs into flat arrays, one for each buffer."""

    def __init__(self, kernel, sizes):
        self.kernel, self.sizes, self.strides = kernel, dict(sizes), dict(sizes)
        self.parts = {}

    def put(self, buffer, values):
        dtype = _DTYPES[self.kernel.buffers[buffer][1]]
        self.parts.setdefault(buffer, []).append(np.ravel(np.asarray(values)).astype(dtype))

    def room(self, layout, instances):
        """What stands where a row ends before its room does."""
        kind = layout[0]
        if kind == "scalar":
            self.put(layout[1], np.zeros(instances))
        elif kind == "vector":
            self.put(layout[1], np.zeros(instances * layout[2]))
        elif kind == "tuple":
            for part in layout[1]:
                self.room(part, instances)
        elif kind == "array":
            self.room(layout[3], instances * layout[2](self.strides))
        elif kind == "packed":
            for _ in range(instances):
                for i in range(layout[2](self.strides)):
                    self.sizes[layout[4]] = self.strides[layout[4]] = i
                    self.room(layout[3], 1)
        else:
            for _, buffer, _, _ in layout[1]:
                self.put(buffer, np.zeros(instances))
            self.room(layout[2], instances)

    def pour(self, layout, value, what):
        kind = layout[0]
        if kind in ("scalar", "vector"):
            self.put(layout[1], value)
        elif kind == "tuple":
            for part, v in zip(layout[1], value):
                self.pour(part, v, what)
        elif kind == "array":
            length, element = layout[2], layout[3]
            extent, stride = length(self.sizes), length(self.strides)
            if len(value) != extent:
                raise LiftError(f"{what} has {len(value)} elements where {extent} are needed")
            if element[0] == "scalar":
                self.put(element[1], value)
            else:
                for v in value:
                    self.pour(element, v, what)
            if stride > extent:
                self.room(element, stride - extent)
        elif kind == "packed":
            _, _, length, element, position = layout
            if _is_flat(layout, value):
                count = _scalars(layout, self.sizes)
                if len(value) != count:
                    raise LiftError(f"{what} has {len(value)} elements where {count} are needed, row after row")
                self.put(_innermost(layout)[1], value)
                return
            extent = length(self.sizes)
            if len(value) != extent:
                raise LiftError(f"{what} has {len(value)} rows where {extent} are needed")
            for i, row in enumerate(value):
                self.sizes[position] = self.strides[position] = i
                self.pour(element, row, f"row {i} of {what}")
        else:
            _, lengths, body = layout
            for name, buffer, at_most, _ in lengths:
                self.sizes[name], self.strides[name] = len(value), at_most(self.strides)
                self.put(buffer, len(value))
            self.pour(body, value, what)

    def flat(self, buffer):
        return np.concatenate(self.parts.get(buffer, [np.empty(0, _DTYPES[self.kernel.buffers[buffer][1]])]))


class _Collect:
    """The result out of its buffers."""

    def __init__(self, kernel, data, sizes):
        self.kernel, self.data, self.sizes, self.strides = kernel, data, dict(sizes), dict(sizes)

    def get(self, layout, at):
        kind = layout[0]
        if kind == "scalar":
            value = self.data[layout[1]][at]
            return bool(value) if self.kernel.buffers[layout[1]][1] == "Bool" else value
        if kind == "vector":
            return self.data[layout[1]][at * layout[2]:(at + 1) * layout[2]]
        if kind == "tuple":
            return tuple(self.get(part, at) for part in layout[1])
        if kind == "array":
            _, _, length, element = layout
            extent, stride = length(self.sizes), length(self.strides)
            if element[0] == "scalar":
                values = self.data[element[1]][at * stride:at * stride + extent]
                return values.astype(bool) if self.kernel.buffers[element[1]][1] == "Bool" else values
            rows = [self.get(element, at * stride + i) for i in range(extent)]
            return np.array(rows) if rows and element[0] in ("array", "vector") and not _dynamic(element) else rows
        if kind == "packed":
            return self.rows(layout, [at * _scalars(layout, self.sizes)])
        _, lengths, body = layout
        for name, buffer, at_most, _ in lengths:
            self.sizes[name], self.strides[name] = int(self.data[buffer][at]), at_most(self.strides)
        return self.get(body, at)

    def rows(self, layout, at):
        """Rows of different lengths, one after the other; `at` is where the next element lies."""
        kind, element = layout[0], layout[3] if len(layout) > 3 else None
        if kind == "packed":
            rows = []
            for i in range(layout[2](self.sizes)):
                self.sizes[layout[4]] = self.strides[layout[4]] = i
                rows.append(self.rows(element, at))
            return rows
        if kind == "array":
            extent = layout[2](self.sizes)
            if element[0] != "scalar":
                return [self.rows(element, at) for _ in range(extent)]
            values = self.data[element[1]][at[0]:at[0] + extent]
            at[0] += extent
            return values.astype(bool) if self.kernel.buffers[element[1]][1] == "Bool" else values
        at[0] += 1
        return self.get(layout, at[0] - 1)


def _dynamic(layout):
    kind = layout[0]
    if kind in ("array", "packed"):
        return _dynamic(layout[3])
    return kind in ("exists", "tuple")


def _innermost(layout):
    return _innermost(layout[3]) if layout[0] in ("array", "packed") else layout


def _is_flat(layout, value):
    """Whether these are the elements of all rows of different lengths in one array."""
    flat = isinstance(value, np.ndarray) and value.ndim == 1 and value.dtype != object
    return flat and layout[0] == "packed" and _innermost(layout)[0] == "scalar"


def _scalars(layout, sizes):
    """How many elements an instance of rows holds."""
    if layout[0] == "array":
        return layout[2](sizes) * _scalars(layout[3], sizes)
    if layout[0] == "packed":
        return sum(_scalars(layout[3], {**sizes, layout[4]: i}) for i in range(layout[2](sizes)))
    return 1


class Kernel:
    """The kernel, built for the device of a queue; one thread at a time may use it."""

    sizes, inputs, result, buffers, checks, steps, failures = SIZES, INPUTS, RESULT, BUFFERS, CHECKS, STEPS, FAILURES

    def __init__(self, queue):
        self.queue = queue
        self.program = cl.Program(queue.context, SOURCE).build(["-cl-std=CL1.2"])
        self.kernels = {}

    def __call__(self, *inputs, **given):
        if len(inputs) != len(self.inputs):
            raise LiftError(f"{len(self.inputs)} inputs are needed, {len(inputs)} are given")
        sizes = _Sizes(self.sizes, given)
        for (_, layout), value in zip(self.inputs, inputs):
            sizes.find(layout, value)
        for name in self.sizes:
            if name not in sizes.values:
                raise LiftError(f"the size {name} does not follow from the shapes of the inputs: {name}=… is needed")
        return self._run(inputs, sizes.values)

    def _run(self, inputs, sizes):
        for message, holds in self.checks:
            if not holds(sizes):
                raise LiftError(message)
        pour = _Pour(self, sizes)
        for (name, layout), value in zip(self.inputs, inputs):
            pour.pour(layout, value, f"the input {name}")
        self.values, self.memory = dict(sizes), {}
        for i, (_, _, _, role, _) in enumerate(self.buffers):
            if role == "input":
                self._allocate(i)
                flat = pour.flat(i)
                if flat.size:
                    cl.enqueue_copy(self.queue, self.memory[i], flat)
            elif not self._waits(i):
                self._allocate(i)
            if role == "failure":
                self._zero(i)
        self._steps(self.steps)
        self._failed()
        data = {}
        for i, (_, element, _, role, _) in enumerate(self.buffers):
            if role == "output":
                data[i] = np.empty(max(self._count(i), 1), _DTYPES[element])
                cl.enqueue_copy(self.queue, data[i], self.memory[i])
        result = _Collect(self, data, self.values).get(self.result, 0)
        self.memory = {}
        return result

    def _count(self, i):
        return self.buffers[i][2](self.values)

    def _waits(self, i):
        return any(name not in self.values for name in self.buffers[i][4])

    def _allocate(self, i):
        name, element = self.buffers[i][:2]
        count = self._count(i)
        if not 0 <= count <= _MOST_ELEMENTS:
            raise LiftError(f"`{name}` needs {count} elements; generated code can index at most {_MOST_ELEMENTS}")
        size = max(count, 1) * np.dtype(_DTYPES[element]).itemsize
        self.memory[i] = cl.Buffer(self.queue.context, cl.mem_flags.READ_WRITE, size)
        if self.buffers[i][3] == "state":
            self._zero(i)

    def _zero(self, i):
        cl.enqueue_fill_buffer(self.queue, self.memory[i], np.uint8(0), 0, self.memory[i].size)

    def _failed(self):
        for i, (_, _, _, role, _) in enumerate(self.buffers):
            if role == "failure":
                flag = np.zeros(4, np.int32)
                cl.enqueue_copy(self.queue, flag, self.memory[i])
                if flag[0]:
                    self._fail(*flag[1:])

    def _fail(self, which, first, second):
        raise LiftError(self.failures[which].replace("{0}", str(first)).replace("{1}", str(second)))

    def _steps(self, steps):
        for step in steps:
            kind = step[0]
            if kind == "launch":
                self._launch(*step[1:])
            elif kind == "zero":
                self._zero(step[1])
            elif kind == "repeat":
                for _ in range(step[1](self.values)):
                    self._steps(step[2])
            elif kind == "while":
                while self._again(*step[1:3]):
                    self._steps(step[3])
            elif kind == "swap":
                a, b = step[1:]
                self.memory[a], self.memory[b] = self.memory[b], self.memory[a]
            else:
                self._measure(*step[1:])

    def _again(self, test, flag):
        self._steps(test)
        self._failed()
        found = np.zeros(1, np.uint8)
        cl.enqueue_copy(self.queue, found, self.memory[flag])
        return found[0] != 0

    def _measure(self, name, source, negative):
        self._failed()
        found = np.zeros(1, np.int32)
        cl.enqueue_copy(self.queue, found, self.memory[source])
        if found[0] < 0:
            self._fail(negative, found[0], 0)
        self.values[name] = int(found[0])
        for i, buffer in enumerate(self.buffers):
            if name in buffer[4] and not self._waits(i):
                self._allocate(i)

    def _launch(self, name, args, groups, local, exact, only_if):
        if any(size(self.values) <= 0 for size in only_if):
            return
        if name not in self.kernels:
            self.kernels[name] = cl.Kernel(self.program, name)
        kernel = self.kernels[name]
        for i, (kind, value) in enumerate(args):
            if kind == "buffer":
                kernel.set_arg(i, self.memory[value])
            elif kind == "int":
                number = value(self.values)
                if not -_MOST_ELEMENTS <= number <= _MOST_ELEMENTS:
                    raise LiftError(f"a size is {number}; generated code counts to {_MOST_ELEMENTS} at most")
                kernel.set_arg(i, np.int32(number))
            elif kind == "long":
                kernel.set_arg(i, np.int64(value(self.values)))
            else:
                kernel.set_arg(i, cl.LocalMemory(max(value(self.values), 1)))
        device = self.queue.device
        most = kernel.get_work_group_info(cl.kernel_work_group_info.WORK_GROUP_SIZE, device)
        local = list(local)
        if not exact:
            local = [min(n, allowed) for n, allowed in zip(local, device.max_work_item_sizes)]
            while int(np.prod(local)) > most and max(local) > 1:
                largest = max(range(3), key=lambda d: local[d])
                local[largest] //= 2
        if int(np.prod(local)) > most:
            raise LiftError(f"`{name}` needs work-groups of {np.prod(local)} work-items; the device allows {most}")
        shape = []
        for d in range(3):
            by_ids = max((2**31 - 1 - _MOST_ELEMENTS) // local[d], 1)
            upper = 65535 if d > 0 else by_ids
            shape.append(min(max(groups[d](self.values), 1), upper, by_ids) * local[d])
        cl.enqueue_nd_range_kernel(self.queue, kernel, shape, local)
