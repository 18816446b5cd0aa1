/* An OpenCL library that passes every call on to the system's and lets one of them go wrong, for tests.
 *
 * The file that FAULT names, read when the first call comes, says "COUNT WHAT": which call, counted from 1 over all
 * functions in the order of the calls, and how. An empty file is no fault.
 *   -5       it fails with this code
 *   -5 lost  so do all calls after it, as when the device is gone
 *   -5 late  it fails with this code, and what was read before arrives when the context is released
 *   crash    it writes to address 0
 *   hang     it does not return
 *   refuse   of clCreateProgramWithSource: the text is one that no compiler takes
 * What fails does nothing, except for clFinish, which waits all the same: a run that has ended leaves no work behind.
 * FAULT_LOG names a file to which the name of each call is appended, a line each. */
#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void *next(const char *name) {
    static void *library;
    if (!library) library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
    void *found = library ? dlsym(library, name) : NULL;
    if (!found) {
        fprintf(stderr, "faults.c: the system's OpenCL library has no %s\n", name);
        abort();
    }
    return found;
}

static void record(const char *name) {
    const char *path = getenv("FAULT_LOG");
    if (!path) return;
    FILE *log = fopen(path, "a");
    if (!log) abort();
    fprintf(log, "%s\n", name);
    fclose(log);
}

/* The text of the file that FAULT names. */
static const char *order(void) {
    static char text[64];
    static int read_once;
    const char *path = getenv("FAULT");
    if (!read_once && path) {
        FILE *file = fopen(path, "r");
        if (!file) abort();
        size_t length = fread(text, 1, sizeof text - 1, file);
        text[length] = 0;
        fclose(file);
    }
    read_once = 1;
    return text;
}

/* What goes wrong with this call, or NULL. */
static const char *fault(const char *name) {
    static long calls;
    record(name);
    calls++;
    char *what;
    long chosen = strtol(order(), &what, 10);
    if (chosen == 0) return NULL;
    int lost = strstr(what, " lost") != NULL;
    if (calls != chosen && !(lost && calls > chosen)) return NULL;
    what++;
    volatile int *volatile nowhere = NULL;
    if (!strcmp(what, "crash")) *nowhere = 1;
    while (!strcmp(what, "hang")) pause();
    return what;
}

/* A function that returns a status. */
#define STATUS(name, parameters, arguments)                       \
    cl_int name parameters {                                      \
        const char *what = fault(#name);                          \
        if (what) return (cl_int)strtol(what, NULL, 10);          \
        return ((cl_int(*) parameters)next(#name))arguments;      \
    }

/* A function that returns an object, and a status through its last parameter. */
#define CREATE(type, name, parameters, arguments)                 \
    type name parameters {                                        \
        const char *what = fault(#name);                          \
        if (what) {                                               \
            if (status) *status = (cl_int)strtol(what, NULL, 10); \
            return NULL;                                          \
        }                                                         \
        return ((type(*) parameters)next(#name))arguments;        \
    }

#define INFO(name, object)                                                                              \
    STATUS(name, (object of, cl_uint param, size_t size, void *value, size_t *needed),                  \
           (of, param, size, value, needed))

STATUS(clGetPlatformIDs, (cl_uint room, cl_platform_id *ids, cl_uint *count), (room, ids, count))
INFO(clGetPlatformInfo, cl_platform_id)
STATUS(clGetDeviceIDs, (cl_platform_id of, cl_device_type type, cl_uint room, cl_device_id *ids, cl_uint *count),
       (of, type, room, ids, count))
INFO(clGetDeviceInfo, cl_device_id)

typedef void (*told)(const char *, const void *, size_t, void *);
CREATE(cl_context, clCreateContext,
       (const cl_context_properties *properties, cl_uint count, const cl_device_id *devices, told tell, void *data,
        cl_int *status),
       (properties, count, devices, tell, data, status))

/* Where the last read goes to. */
static void *read_to;
static size_t read_size;

cl_int clReleaseContext(cl_context context) {
    const char *what = fault("clReleaseContext");
    if (strstr(order(), " late") && read_to) memset(read_to, 0, read_size);
    if (what) return (cl_int)strtol(what, NULL, 10);
    return ((cl_int(*)(cl_context))next("clReleaseContext"))(context);
}
CREATE(cl_command_queue, clCreateCommandQueue,
       (cl_context context, cl_device_id device, cl_command_queue_properties properties, cl_int *status),
       (context, device, properties, status))
STATUS(clReleaseCommandQueue, (cl_command_queue queue), (queue))
CREATE(cl_mem, clCreateBuffer, (cl_context context, cl_mem_flags flags, size_t size, void *host, cl_int *status),
       (context, flags, size, host, status))
STATUS(clReleaseMemObject, (cl_mem memory), (memory))

cl_program clCreateProgramWithSource(cl_context context, cl_uint count, const char **texts, const size_t *lengths,
                                     cl_int *status) {
    typedef cl_program (*function)(cl_context, cl_uint, const char **, const size_t *, cl_int *);
    function real = (function)next("clCreateProgramWithSource");
    const char *what = fault("clCreateProgramWithSource");
    if (what && !strcmp(what, "refuse")) {
        const char *refused = "#error this compiler takes nothing\n";
        return real(context, 1, &refused, NULL, status);
    }
    if (what) {
        if (status) *status = (cl_int)strtol(what, NULL, 10);
        return NULL;
    }
    return real(context, count, texts, lengths, status);
}
CREATE(cl_program, clCreateProgramWithBinary,
       (cl_context context, cl_uint count, const cl_device_id *devices, const size_t *lengths,
        const unsigned char **binaries, cl_int *each, cl_int *status),
       (context, count, devices, lengths, binaries, each, status))
typedef void (*built)(cl_program, void *);
STATUS(clBuildProgram,
       (cl_program program, cl_uint count, const cl_device_id *devices, const char *options, built tell, void *data),
       (program, count, devices, options, tell, data))
INFO(clGetProgramInfo, cl_program)
STATUS(clGetProgramBuildInfo,
       (cl_program of, cl_device_id device, cl_uint param, size_t size, void *value, size_t *needed),
       (of, device, param, size, value, needed))
STATUS(clReleaseProgram, (cl_program program), (program))

CREATE(cl_kernel, clCreateKernel, (cl_program program, const char *name, cl_int *status), (program, name, status))
INFO(clGetKernelInfo, cl_kernel)
STATUS(clGetKernelWorkGroupInfo,
       (cl_kernel of, cl_device_id device, cl_uint param, size_t size, void *value, size_t *needed),
       (of, device, param, size, value, needed))
STATUS(clGetKernelArgInfo, (cl_kernel of, cl_uint index, cl_uint param, size_t size, void *value, size_t *needed),
       (of, index, param, size, value, needed))
STATUS(clSetKernelArg, (cl_kernel kernel, cl_uint index, size_t size, const void *value),
       (kernel, index, size, value))
STATUS(clReleaseKernel, (cl_kernel kernel), (kernel))

#define EVENTS cl_uint count, const cl_event *waited, cl_event *event
cl_int clEnqueueReadBuffer(cl_command_queue queue, cl_mem memory, cl_bool wait, size_t offset, size_t size, void *to,
                           EVENTS) {
    typedef cl_int (*function)(cl_command_queue, cl_mem, cl_bool, size_t, size_t, void *, EVENTS);
    const char *what = fault("clEnqueueReadBuffer");
    if (what) return (cl_int)strtol(what, NULL, 10);
    read_to = to;
    read_size = size;
    return ((function)next("clEnqueueReadBuffer"))(queue, memory, wait, offset, size, to, count, waited, event);
}
STATUS(clEnqueueWriteBuffer,
       (cl_command_queue queue, cl_mem memory, cl_bool wait, size_t offset, size_t size, const void *from, EVENTS),
       (queue, memory, wait, offset, size, from, count, waited, event))
STATUS(clEnqueueFillBuffer,
       (cl_command_queue queue, cl_mem memory, const void *pattern, size_t pattern_size, size_t offset, size_t size,
        EVENTS),
       (queue, memory, pattern, pattern_size, offset, size, count, waited, event))
STATUS(clEnqueueNDRangeKernel,
       (cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t *offset, const size_t *global,
        const size_t *local, EVENTS),
       (queue, kernel, dimensions, offset, global, local, count, waited, event))
STATUS(clFlush, (cl_command_queue queue), (queue))
cl_int clFinish(cl_command_queue queue) {
    const char *what = fault("clFinish");
    cl_int status = ((cl_int(*)(cl_command_queue))next("clFinish"))(queue);
    return what ? (cl_int)strtol(what, NULL, 10) : status;
}
INFO(clGetEventProfilingInfo, cl_event)
STATUS(clReleaseEvent, (cl_event event), (event))
