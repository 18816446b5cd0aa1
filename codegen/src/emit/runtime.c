/* What went wrong, and where: always -1. */
static int fail(struct lift_program *program, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  vsnprintf(program->error, sizeof program->error, format, args);
  va_end(args);
  return -1;
}

static int check(struct lift_program *program, cl_int code, const char *what)
{
  return code == CL_SUCCESS ? 0 : fail(program, "%s: OpenCL error %d", what, (int)code);
}

/* One of the program's messages with its numbers in the place of {0} and {1}, and the one after the first in that of {0+1}. */
static int fail_with(struct lift_program *program, cl_int which, cl_int first, cl_int second)
{
  size_t at = 0;
  const size_t room = sizeof program->error;
  if (which < 0 || (size_t)which >= sizeof messages / sizeof *messages) {
    return fail(program, "a kernel reported failure %d, which is not known", (int)which);
  }
  for (const char *c = messages[which]; *c && at + 16 < room; c++) {
    if (c[0] == '{' && (c[1] == '0' || c[1] == '1') && c[2] == '}') {
      at += (size_t)snprintf(program->error + at, room - at, "%d", (int)(c[1] == '0' ? first : second));
      c += 2;
    } else if (strncmp(c, "{0+1}", 5) == 0) {
      at += (size_t)snprintf(program->error + at, room - at, "%lld", (long long)first + 1);
      c += 4;
    } else {
      program->error[at++] = *c;
    }
  }
  program->error[at] = 0;
  return -1;
}

/* A buffer of so many elements: the one of the last run, if it has the room and not much more. */
static int allocate(struct lift_program *program, size_t slot, cl_mem *buffer, int64_t count, size_t element,
                    const char *what)
{
  cl_int code = CL_SUCCESS;
  /* After an exchange a name means the memory of another slot. */
  for (size_t i = 0; *buffer && i < LIFT_BUFFERS; i++) {
    if (program->owned[i] == *buffer) {
      slot = i;
      break;
    }
  }
  if (count < 0 || count > LIFT_LONGEST) {
    return fail(program, "`%s` needs %lld elements; generated code can index at most %d", what, (long long)count, LIFT_LONGEST);
  }
  const size_t bytes = (size_t)(count > 0 ? count : 1) * element, had = program->room[slot];
  if (had < bytes || had / 2 > bytes) {
    if (program->owned[slot]) {
      clReleaseMemObject(program->owned[slot]);
    }
    program->room[slot] = 0;
    program->owned[slot] = clCreateBuffer(program->context, CL_MEM_READ_WRITE, bytes, NULL, &code);
    if (code != CL_SUCCESS) {
      program->owned[slot] = NULL;
      return fail(program, "%zu bytes for `%s` cannot be had: OpenCL error %d", bytes, what, (int)code);
    }
    program->room[slot] = bytes;
  }
  *buffer = program->owned[slot];
  return 0;
}

/* Checks that a buffer of the caller has room for so many elements. */
static int has_room(struct lift_program *program, cl_mem buffer, int64_t count, size_t element, const char *what)
{
  size_t bytes = 0;
  if (check(program, clGetMemObjectInfo(buffer, CL_MEM_SIZE, sizeof bytes, &bytes, NULL), what)) {
    return -1;
  }
  return count <= 0 || bytes / element >= (size_t)count
             ? 0
             : fail(program, "the buffer `%s` has %zu bytes; %lld elements of %zu bytes do not fit", what, bytes,
                    (long long)count, element);
}

/* The buffers of a run may still be in use in the queue of the run before. */
static int use_queue(struct lift_program *program, cl_command_queue queue)
{
  cl_int code = CL_SUCCESS;
  if (program->last == queue) {
    return 0;
  }
  if (program->last) {
    code = clFinish(program->last);
    clReleaseCommandQueue(program->last);
    program->last = NULL;
  }
  if (code == CL_SUCCESS) {
    code = clRetainCommandQueue(queue);
  }
  if (code == CL_SUCCESS) {
    program->last = queue;
  }
  return check(program, code, "change the queue");
}

/* The caller owns the buffer from here on. */
static int hand_over(struct lift_program *program, cl_mem buffer)
{
  for (size_t i = 0; i < LIFT_BUFFERS; i++) {
    if (program->owned[i] == buffer) {
      program->owned[i] = NULL;
      program->room[i] = 0;
    }
  }
  return 0;
}

static int fill(struct lift_program *program, cl_command_queue queue, cl_mem buffer)
{
  const cl_uchar zero = 0;
  size_t bytes = 0;
  cl_int code = clGetMemObjectInfo(buffer, CL_MEM_SIZE, sizeof bytes, &bytes, NULL);
  if (code == CL_SUCCESS) {
    code = clEnqueueFillBuffer(queue, buffer, &zero, 1, 0, bytes, 0, NULL, NULL);
  }
  return check(program, code, "fill a buffer");
}

static int argument(struct lift_program *program, cl_kernel kernel, cl_uint index, size_t size, const void *value)
{
  return check(program, clSetKernelArg(kernel, index, size, value), "set an argument of a kernel");
}

/* A size as an argument of a kernel. */
static int int_argument(struct lift_program *program, cl_kernel kernel, cl_uint index, int64_t value)
{
  const cl_int number = (cl_int)value;
  if (value < -LIFT_LONGEST || value > LIFT_LONGEST) {
    return fail(program, "a size is %lld; generated code counts to %d at most", (long long)value, LIFT_LONGEST);
  }
  return argument(program, kernel, index, sizeof number, &number);
}

/* Fewer and smaller groups than asked for do the same work, unless the kernel relies on their size. */
static int launch(struct lift_program *program, cl_command_queue queue, cl_kernel kernel, const int64_t groups[3],
                  const size_t wished[3], int exact, const char *what)
{
  size_t most = 0, sizes[3] = {1, 1, 1}, local[3], global[3];
  cl_int code = clGetKernelWorkGroupInfo(kernel, program->device, CL_KERNEL_WORK_GROUP_SIZE, sizeof most, &most, NULL);
  if (code == CL_SUCCESS) {
    code = clGetDeviceInfo(program->device, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof sizes, sizes, NULL);
  }
  if (check(program, code, what)) {
    return -1;
  }
  for (int d = 0; d < 3; d++) {
    local[d] = !exact && wished[d] > sizes[d] ? sizes[d] : wished[d];
  }
  while (!exact && local[0] * local[1] * local[2] > most) {
    int largest = 0;
    for (int d = 1; d < 3; d++) {
      largest = local[d] > local[largest] ? d : largest;
    }
    if (local[largest] == 1) {
      break;
    }
    local[largest] /= 2;
  }
  if (local[0] * local[1] * local[2] > most) {
    return fail(program, "`%s` needs work-groups of %zu work-items; the device allows %zu", what,
                local[0] * local[1] * local[2], most);
  }
  for (int d = 0; d < 3; d++) {
    const int64_t upper = d > 0 ? 65535 : INT64_MAX;
    const int64_t by_ids = (INT32_MAX - LIFT_LONGEST) / (int64_t)local[d];
    int64_t count = groups[d] < upper ? groups[d] : upper;
    count = count < by_ids ? count : by_ids;
    global[d] = (size_t)(count > 1 ? count : 1) * local[d];
  }
  return check(program, clEnqueueNDRangeKernel(queue, kernel, 3, NULL, global, local, 0, NULL, NULL), what);
}

static int copy_out(struct lift_program *program, cl_command_queue queue, cl_mem buffer, int64_t count, size_t element, void *to)
{
  if (count <= 0) {
    return 0;
  }
  return check(program, clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, (size_t)count * element, to, 0, NULL, NULL),
               "copy results from the device");
}

static int copy_in(struct lift_program *program, cl_command_queue queue, cl_mem buffer, int64_t count, size_t element,
                   const void *from)
{
  if (count <= 0) {
    return 0;
  }
  return check(program, clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, (size_t)count * element, from, 0, NULL, NULL),
               "copy data to the device");
}
