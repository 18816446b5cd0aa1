/* An OpenCL library with one device, this processor, whose programs are compiled by clang with its sanitizers, for tests.
 *
 * A program is compiled behind builtins.cl to a library, each kernel with a function that takes its arguments as an array
 * of addresses. Commands are done when they are enqueued. The work-groups of a launch run one after the other, the
 * work-items of one in turns, each on a stack of its own, from barrier to barrier: forwards and backwards by turns, so that
 * a barrier that is missing changes what is computed. A work-item that waits at another barrier than the others, or ends
 * while they wait, ends the process with a message, as does everything that the sanitizers find.
 *
 * Each buffer, and the local memory of each launch, is an allocation of its own of the size that was asked for, and holds a
 * pattern at first.
 *
 * SANITIZER_CLANG names the compiler, SANITIZER_BUILTINS the file builtins.cl, SANITIZER_FOLDER a folder for what it
 * compiles. Only what Lift calls is there, and only for 1.2 of the standard. */
#define _GNU_SOURCE
#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <ctype.h>
#include <dlfcn.h>
#include <sanitizer/common_interface_defs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

enum { MOST_ARGUMENTS = 256, MOST_KERNELS = 256, MOST_IN_GROUP = 256, STACK = 1 << 20, PATTERN = 0xa5 };

struct _cl_mem {
    size_t size;
    unsigned char *bytes;
};

enum kind { VALUE, BUFFER, LOCAL };

/* A kernel of a program: its name and its parameters. */
struct signature {
    char name[256];
    int count;
    enum kind kinds[MOST_ARGUMENTS];
    size_t required[3]; /* the work-group that it is written for; 0 if for any */
};

struct _cl_program {
    char *text;
    char *log;
    void *library;
    struct signature kernels[MOST_KERNELS];
    int count;
    int users;
};

struct argument {
    size_t size; /* of the value, or of local memory; 0: not set yet */
    union {
        unsigned char value[8];
        struct _cl_mem *memory;
    };
};

struct _cl_kernel {
    struct _cl_program *program;
    struct signature *signature;
    void (*call)(void **arguments);
    struct argument arguments[MOST_ARGUMENTS];
};

/* What there is one of. */
struct thing {
    int of;
};
static struct thing platform, device, context, queue, event;

static void stop(const char *what) {
    fprintf(stderr, "driver.c: %s\n", what);
    fflush(stderr);
    abort();
}

static void *allocated(size_t size) {
    void *bytes = NULL;
    if (posix_memalign(&bytes, 128, size)) return NULL;
    memset(bytes, PATTERN, size);
    return bytes;
}

/* --- questions ------------------------------------------------------------------------------ */

static cl_int tell(const void *answer, size_t length, size_t room, void *value, size_t *needed) {
    if (needed) *needed = length;
    if (value && room < length) return CL_INVALID_VALUE;
    if (value) memcpy(value, answer, length);
    return CL_SUCCESS;
}
#define TELL(type, answer)                                  \
    do {                                                    \
        type it = answer;                                   \
        return tell(&it, sizeof it, room, value, needed);   \
    } while (0)
#define TELL_TEXT(answer) return tell(answer, strlen(answer) + 1, room, value, needed)

cl_int clGetPlatformIDs(cl_uint room, cl_platform_id *ids, cl_uint *count) {
    if (count) *count = 1;
    if (ids && room) *ids = (cl_platform_id)&platform;
    return CL_SUCCESS;
}

cl_int clGetPlatformInfo(cl_platform_id of, cl_platform_info what, size_t room, void *value, size_t *needed) {
    (void)of;
    switch (what) {
    case CL_PLATFORM_NAME: TELL_TEXT("Sanitizers");
    case CL_PLATFORM_VENDOR: TELL_TEXT("tests");
    case CL_PLATFORM_VERSION: TELL_TEXT("OpenCL 1.2 sanitizers");
    case CL_PLATFORM_PROFILE: TELL_TEXT("FULL_PROFILE");
    case CL_PLATFORM_EXTENSIONS: TELL_TEXT("");
    default: return CL_INVALID_VALUE;
    }
}

cl_int clGetDeviceIDs(cl_platform_id of, cl_device_type type, cl_uint room, cl_device_id *ids, cl_uint *count) {
    (void)of;
    if (!(type & (CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_DEFAULT))) return CL_DEVICE_NOT_FOUND;
    if (count) *count = 1;
    if (ids && room) *ids = (cl_device_id)&device;
    return CL_SUCCESS;
}

cl_int clGetDeviceInfo(cl_device_id of, cl_device_info what, size_t room, void *value, size_t *needed) {
    (void)of;
    const size_t sizes[3] = {MOST_IN_GROUP, MOST_IN_GROUP, MOST_IN_GROUP};
    const cl_device_fp_config rounding = CL_FP_DENORM | CL_FP_INF_NAN | CL_FP_ROUND_TO_NEAREST | CL_FP_FMA;
    switch (what) {
    case CL_DEVICE_TYPE: TELL(cl_device_type, CL_DEVICE_TYPE_CPU);
    case CL_DEVICE_NAME: TELL_TEXT("clang with sanitizers");
    case CL_DEVICE_VENDOR: TELL_TEXT("tests");
    case CL_DRIVER_VERSION: TELL_TEXT("1");
    case CL_DEVICE_VERSION: TELL_TEXT("OpenCL 1.2 sanitizers");
    case CL_DEVICE_PROFILE: TELL_TEXT("FULL_PROFILE");
    case CL_DEVICE_OPENCL_C_VERSION: TELL_TEXT("OpenCL C 1.2 sanitizers");
    case CL_DEVICE_EXTENSIONS: TELL_TEXT("cl_khr_fp64 cl_khr_int64_base_atomics cl_khr_int64_extended_atomics");
    case CL_DEVICE_MAX_COMPUTE_UNITS: TELL(cl_uint, 2);
    case CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS: TELL(cl_uint, 3);
    case CL_DEVICE_MAX_WORK_GROUP_SIZE: TELL(size_t, MOST_IN_GROUP);
    case CL_DEVICE_MAX_WORK_ITEM_SIZES: return tell(sizes, sizeof sizes, room, value, needed);
    case CL_DEVICE_GLOBAL_MEM_SIZE: TELL(cl_ulong, 1ul << 32);
    case CL_DEVICE_MAX_MEM_ALLOC_SIZE: TELL(cl_ulong, 1ul << 30);
    case CL_DEVICE_LOCAL_MEM_SIZE: TELL(cl_ulong, 48ul << 10);
    case CL_DEVICE_ADDRESS_BITS: TELL(cl_uint, 64);
    case CL_DEVICE_SINGLE_FP_CONFIG: TELL(cl_device_fp_config, rounding | CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT);
    case CL_DEVICE_DOUBLE_FP_CONFIG: TELL(cl_device_fp_config, rounding);
    default: return CL_INVALID_VALUE;
    }
}

/* --- contexts, queues, buffers -------------------------------------------------------------- */

static void succeed(cl_int *status) {
    if (status) *status = CL_SUCCESS;
}
static void *fail(cl_int *status, cl_int code) {
    if (status) *status = code;
    return NULL;
}

cl_context clCreateContext(const cl_context_properties *properties, cl_uint count, const cl_device_id *devices,
                           void (*told)(const char *, const void *, size_t, void *), void *data, cl_int *status) {
    (void)properties, (void)count, (void)devices, (void)told, (void)data;
    succeed(status);
    return (cl_context)&context;
}
cl_int clReleaseContext(cl_context of) { return (void)of, CL_SUCCESS; }
cl_command_queue clCreateCommandQueue(cl_context of, cl_device_id on, cl_command_queue_properties properties,
                                      cl_int *status) {
    (void)of, (void)on, (void)properties;
    succeed(status);
    return (cl_command_queue)&queue;
}
cl_int clReleaseCommandQueue(cl_command_queue of) { return (void)of, CL_SUCCESS; }
cl_int clFlush(cl_command_queue of) { return (void)of, CL_SUCCESS; }
cl_int clFinish(cl_command_queue of) { return (void)of, CL_SUCCESS; }
cl_int clReleaseEvent(cl_event of) { return (void)of, CL_SUCCESS; }

cl_mem clCreateBuffer(cl_context of, cl_mem_flags flags, size_t size, void *host, cl_int *status) {
    (void)of;
    if (size == 0) return fail(status, CL_INVALID_BUFFER_SIZE);
    if (host || flags != CL_MEM_READ_WRITE) return fail(status, CL_INVALID_VALUE);
    struct _cl_mem *memory = malloc(sizeof *memory);
    unsigned char *bytes = memory ? allocated(size) : NULL;
    if (!bytes) {
        free(memory);
        return fail(status, CL_MEM_OBJECT_ALLOCATION_FAILURE);
    }
    *memory = (struct _cl_mem){size, bytes};
    succeed(status);
    return memory;
}
cl_int clReleaseMemObject(cl_mem memory) {
    free(memory->bytes);
    free(memory);
    return CL_SUCCESS;
}

static int outside(cl_mem memory, size_t offset, size_t size) {
    return offset > memory->size || size > memory->size - offset || size == 0;
}
static cl_int done(cl_event *when) {
    if (when) *when = (cl_event)&event;
    return CL_SUCCESS;
}
cl_int clEnqueueWriteBuffer(cl_command_queue on, cl_mem memory, cl_bool wait, size_t offset, size_t size,
                            const void *from, cl_uint count, const cl_event *after, cl_event *when) {
    (void)on, (void)wait, (void)count, (void)after;
    if (outside(memory, offset, size)) return CL_INVALID_VALUE;
    memcpy(memory->bytes + offset, from, size);
    return done(when);
}
cl_int clEnqueueReadBuffer(cl_command_queue on, cl_mem memory, cl_bool wait, size_t offset, size_t size, void *to,
                           cl_uint count, const cl_event *after, cl_event *when) {
    (void)on, (void)wait, (void)count, (void)after;
    if (outside(memory, offset, size)) return CL_INVALID_VALUE;
    memcpy(to, memory->bytes + offset, size);
    return done(when);
}
cl_int clEnqueueFillBuffer(cl_command_queue on, cl_mem memory, const void *pattern, size_t width, size_t offset,
                           size_t size, cl_uint count, const cl_event *after, cl_event *when) {
    (void)on, (void)count, (void)after;
    if (outside(memory, offset, size) || width == 0 || size % width || offset % width) return CL_INVALID_VALUE;
    for (size_t i = 0; i < size; i += width) memcpy(memory->bytes + offset + i, pattern, width);
    return done(when);
}

/* --- programs ------------------------------------------------------------------------------- */

static char *contents(const char *path) {
    FILE *file = fopen(path, "r");
    char *text = NULL;
    size_t length = 0;
    if (!file || getdelim(&text, &length, '\0', file) < 0) {
        free(text);
        text = strdup("");
    }
    if (file) fclose(file);
    return text;
}

cl_program clCreateProgramWithSource(cl_context of, cl_uint count, const char **texts, const size_t *lengths,
                                     cl_int *status) {
    (void)of;
    struct _cl_program *program = calloc(1, sizeof *program);
    size_t length = 0;
    FILE *text = program ? open_memstream(&program->text, &length) : NULL;
    if (!text) return fail(status, CL_OUT_OF_HOST_MEMORY);
    for (cl_uint i = 0; i < count; i++)
        fwrite(texts[i], 1, lengths && lengths[i] ? lengths[i] : strlen(texts[i]), text);
    fclose(text);
    program->users = 1;
    succeed(status);
    return program;
}

/* The type of a parameter without its name. */
static void untitled(char *parameter) {
    size_t end = strlen(parameter);
    while (end && isspace((unsigned char)parameter[end - 1])) end--;
    while (end && (isalnum((unsigned char)parameter[end - 1]) || parameter[end - 1] == '_')) end--;
    parameter[end] = 0;
}

/* Notes the kernels of a text that Lift wrote, and writes for each the function that calls it. */
static void note_kernels(struct _cl_program *program, FILE *out) {
    const char *attributes = program->text;
    for (const char *at = program->text; (at = strstr(at, "__kernel void ")); attributes = at) {
        at += strlen("__kernel void ");
        const char *open = strchr(at, '('), *close = strchr(at, ')');
        if (!open || !close || program->count == MOST_KERNELS) stop("a kernel that is not as Lift writes them");
        struct signature *kernel = &program->kernels[program->count++];
        snprintf(kernel->name, sizeof kernel->name, "%.*s", (int)(open - at), at);
        size_t *required = kernel->required;
        const char *attribute = strstr(attributes, "reqd_work_group_size(");
        if (attribute && attribute < at)
            sscanf(attribute, "reqd_work_group_size(%zu, %zu, %zu)", &required[0], &required[1], &required[2]);
        fprintf(out, "void lift_call_%s(__private void *__private *a)\n{\n  %s(", kernel->name, kernel->name);
        char *list = strndup(open + 1, (size_t)(close - open - 1)), *rest = list;
        for (char *parameter; *list && (parameter = strsep(&rest, ",")); kernel->count++) {
            untitled(parameter);
            if (kernel->count == MOST_ARGUMENTS || !*parameter) stop("a kernel with parameters that are not Lift's");
            kernel->kinds[kernel->count] = strstr(parameter, "__local") ? LOCAL : strchr(parameter, '*') ? BUFFER : VALUE;
            fprintf(out, "%s*(%s __private *)a[%d]", kernel->count ? ", " : "", parameter, kernel->count);
        }
        fprintf(out, ");\n}\n");
        free(list);
    }
}

/* Runs the compiler, without what is loaded before this process. What it makes is linked with this library, and its kernels
 * may be called as functions of C are. Nothing is optimised: with the sanitizers, unrolled loops take it minutes. */
static int compile(const char *source, const char *library, const char *log) {
    Dl_info this;
    if (!dladdr((void *)&compile, &this)) return -1;
    pid_t child = fork();
    if (child < 0) return -1;
    if (child == 0) {
        unsetenv("LD_PRELOAD");
        if (!freopen(log, "w", stderr)) _exit(127);
        const char *clang = getenv("SANITIZER_CLANG");
        execlp(clang, clang, "-x", "cl", "-cl-std=CL1.2", "-Xclang", "-finclude-default-header", "-Xclang",
               "-fdeclare-opencl-builtins", "-fno-builtin", "-Wl,-Bsymbolic", "-Wno-unused-value",
               "-ffp-contract=off", "-O0", "-g1", "-fPIC", "-shared", "-shared-libasan",
               "-fsanitize=address,undefined,float-cast-overflow,local-bounds", "-fno-sanitize-recover=all", source,
               "-x", "none", this.dli_fname, "-o", library, (char *)NULL);
        _exit(127);
    }
    int status = 0;
    return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

cl_int clBuildProgram(cl_program program, cl_uint count, const cl_device_id *devices, const char *options,
                      void (*told)(cl_program, void *), void *data) {
    (void)count, (void)devices, (void)options, (void)told, (void)data;
    static int number;
    char source[4096], library[4096], log[4096];
    const char *folder = getenv("SANITIZER_FOLDER"), *builtins = getenv("SANITIZER_BUILTINS");
    if (!folder || !builtins || !getenv("SANITIZER_CLANG")) stop("SANITIZER_CLANG, _BUILTINS or _FOLDER is not set");
    snprintf(source, sizeof source, "%s/%d.cl", folder, ++number);
    snprintf(library, sizeof library, "%s/%d.so", folder, number);
    snprintf(log, sizeof log, "%s/%d.log", folder, number);
    FILE *out = fopen(source, "w");
    if (!out) stop("the folder cannot be written to");
    fprintf(out, "#include \"%s\"\n#line 1 \"program.cl\"\n%s\n#line 1 \"calls\"\n", builtins, program->text);
    note_kernels(program, out);
    fclose(out);
    int status = compile(source, library, log);
    program->log = contents(log);
    if (status) return CL_BUILD_PROGRAM_FAILURE;
    program->library = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (!program->library) stop(dlerror());
    return CL_SUCCESS;
}

cl_int clGetProgramBuildInfo(cl_program program, cl_device_id on, cl_program_build_info what, size_t room, void *value,
                             size_t *needed) {
    (void)on;
    if (what != CL_PROGRAM_BUILD_LOG) return CL_INVALID_VALUE;
    TELL_TEXT(program->log ? program->log : "");
}

cl_int clReleaseProgram(cl_program program) {
    if (--program->users) return CL_SUCCESS;
    if (program->library) dlclose(program->library);
    free(program->text);
    free(program->log);
    free(program);
    return CL_SUCCESS;
}

/* --- kernels -------------------------------------------------------------------------------- */

cl_kernel clCreateKernel(cl_program program, const char *name, cl_int *status) {
    for (int i = 0; i < program->count; i++) {
        struct signature *signature = &program->kernels[i];
        if (strcmp(signature->name, name)) continue;
        char symbol[300];
        snprintf(symbol, sizeof symbol, "lift_call_%s", name);
        struct _cl_kernel *kernel = calloc(1, sizeof *kernel);
        if (!kernel) return fail(status, CL_OUT_OF_HOST_MEMORY);
        kernel->program = program;
        kernel->signature = signature;
        *(void **)&kernel->call = dlsym(program->library, symbol);
        if (!kernel->call) stop(dlerror());
        program->users++;
        succeed(status);
        return kernel;
    }
    return fail(status, CL_INVALID_KERNEL_NAME);
}

cl_int clReleaseKernel(cl_kernel kernel) {
    cl_program program = kernel->program;
    free(kernel);
    return clReleaseProgram(program);
}

cl_int clGetKernelInfo(cl_kernel kernel, cl_kernel_info what, size_t room, void *value, size_t *needed) {
    if (what != CL_KERNEL_NUM_ARGS) return CL_INVALID_VALUE;
    TELL(cl_uint, (cl_uint)kernel->signature->count);
}

cl_int clGetKernelWorkGroupInfo(cl_kernel kernel, cl_device_id on, cl_kernel_work_group_info what, size_t room,
                                void *value, size_t *needed) {
    (void)kernel, (void)on;
    if (what != CL_KERNEL_WORK_GROUP_SIZE) return CL_INVALID_VALUE;
    TELL(size_t, MOST_IN_GROUP);
}

cl_int clSetKernelArg(cl_kernel kernel, cl_uint index, size_t size, const void *value) {
    if (index >= (cl_uint)kernel->signature->count) return CL_INVALID_ARG_INDEX;
    struct argument *argument = &kernel->arguments[index];
    int local = kernel->signature->kinds[index] == LOCAL;
    if (size == 0 || (value == NULL) != local || (value && size > sizeof argument->value)) return CL_INVALID_ARG_SIZE;
    argument->size = size;
    if (value) memcpy(argument->value, value, size);
    return CL_SUCCESS;
}

/* --- launches ------------------------------------------------------------------------------- */

enum state { RUNNING, WAITING, ENDED };

struct item {
    void *place[5];   /* where it goes on (__builtin_setjmp: other than swapcontext it asks nothing of the system) */
    void *fake_stack; /* the address sanitizer's */
    int begun;
    enum state state;
    unsigned barrier; /* the line of the one at which it waits */
    size_t id[3];
};

static struct item items[MOST_IN_GROUP], *current;
static unsigned char *stacks;
static void *launcher[5], *launcher_fake_stack;
static const void *launcher_stack;
static size_t launcher_stack_size;
static struct {
    void (*call)(void **);
    void **arguments;
    size_t group[3], local[3], groups[3];
} launch;

size_t lift_id(cl_uint d, int what) {
    if (d > 2) return what < 3 ? 0 : 1;
    switch (what) {
    case 0: return launch.group[d] * launch.local[d] + current->id[d];
    case 1: return current->id[d];
    case 2: return launch.group[d];
    case 3: return launch.groups[d] * launch.local[d];
    case 4: return launch.local[d];
    default: return launch.groups[d];
    }
}

/* Back to whoever runs the work-items. */
static void give_way(void) {
    __sanitizer_start_switch_fiber(&current->fake_stack, launcher_stack, launcher_stack_size);
    if (!__builtin_setjmp(current->place)) __builtin_longjmp(launcher, 1);
    __sanitizer_finish_switch_fiber(current->fake_stack, &launcher_stack, &launcher_stack_size);
}

void lift_barrier(cl_uint line) {
    current->barrier = line;
    current->state = WAITING;
    give_way();
}

/* What happens on the stack of a work-item: it is the item of this number of one group after the other. */
static void live(void) {
    __sanitizer_finish_switch_fiber(NULL, &launcher_stack, &launcher_stack_size);
    for (;;) {
        launch.call(launch.arguments);
        current->state = ENDED;
        give_way();
    }
}

static void run_item(size_t i) {
    current = &items[i];
    current->state = RUNNING;
    __sanitizer_start_switch_fiber(&launcher_fake_stack, stacks + i * STACK, STACK);
    if (!__builtin_setjmp(launcher)) {
        if (current->begun) __builtin_longjmp(current->place, 1);
        current->begun = 1;
        ucontext_t context;
        getcontext(&context);
        context.uc_stack.ss_sp = stacks + i * STACK;
        context.uc_stack.ss_size = STACK;
        context.uc_link = NULL;
        makecontext(&context, live, 0);
        setcontext(&context);
    }
    __sanitizer_finish_switch_fiber(launcher_fake_stack, NULL, NULL);
}

static void run_group(size_t count) {
    for (size_t i = 0; i < count; i++) {
        struct item *item = &items[i];
        item->id[0] = i % launch.local[0];
        item->id[1] = i / launch.local[0] % launch.local[1];
        item->id[2] = i / launch.local[0] / launch.local[1];
    }
    for (int turn = 0;; turn++) {
        size_t ended = 0;
        for (size_t i = 0; i < count; i++) {
            size_t which = turn % 2 ? count - 1 - i : i;
            run_item(which);
            ended += items[which].state == ENDED;
        }
        if (ended == count) return;
        if (ended) stop("barrier divergence: some work-items have ended, others wait at a barrier");
        for (size_t i = 1; i < count; i++)
            if (items[i].barrier != items[0].barrier)
                stop("barrier divergence: work-items of a group wait at different barriers");
    }
}

cl_int clEnqueueNDRangeKernel(cl_command_queue on, cl_kernel kernel, cl_uint dimensions, const size_t *offset,
                              const size_t *global, const size_t *local, cl_uint waits, const cl_event *after,
                              cl_event *when) {
    (void)on, (void)waits, (void)after;
    if (dimensions != 3 || offset || !local) return CL_INVALID_WORK_DIMENSION;
    size_t count = 1;
    for (int d = 0; d < 3; d++) {
        size_t required = kernel->signature->required[d];
        if (local[d] == 0 || global[d] == 0 || global[d] % local[d]) return CL_INVALID_WORK_GROUP_SIZE;
        if (required && required != local[d]) return CL_INVALID_WORK_GROUP_SIZE;
        launch.local[d] = local[d];
        launch.groups[d] = global[d] / local[d];
        count *= local[d];
    }
    if (count > MOST_IN_GROUP) return CL_INVALID_WORK_GROUP_SIZE;
    if (!stacks) {
        stacks = mmap(NULL, (size_t)MOST_IN_GROUP * STACK, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (stacks == MAP_FAILED) stop("no memory for the stacks of work-items");
    }
    void *pointers[MOST_ARGUMENTS], *arguments[MOST_ARGUMENTS];
    const struct signature *signature = kernel->signature;
    for (int i = 0; i < signature->count; i++) {
        struct argument *argument = &kernel->arguments[i];
        if (argument->size == 0) return CL_INVALID_KERNEL_ARGS;
        arguments[i] = signature->kinds[i] == VALUE ? (void *)argument->value : (void *)&pointers[i];
        if (signature->kinds[i] == BUFFER) pointers[i] = argument->memory->bytes;
    }
    launch.call = kernel->call;
    launch.arguments = arguments;
    size_t groups = launch.groups[0] * launch.groups[1] * launch.groups[2];
    for (size_t group = 0; group < groups; group++) {
        launch.group[0] = group % launch.groups[0];
        launch.group[1] = group / launch.groups[0] % launch.groups[1];
        launch.group[2] = group / launch.groups[0] / launch.groups[1];
        for (int i = 0; i < signature->count; i++)
            if (signature->kinds[i] == LOCAL) pointers[i] = allocated(kernel->arguments[i].size);
        run_group(count);
        for (int i = 0; i < signature->count; i++)
            if (signature->kinds[i] == LOCAL) free(pointers[i]);
    }
    return done(when);
}
