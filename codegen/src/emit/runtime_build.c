static char *told(const char *what, const char *more)
{
  const size_t room = strlen(what) + strlen(more) + 3;
  char *text = malloc(room);
  if (text) {
    snprintf(text, room, *more ? "%s: %s" : "%s%s", what, more);
  }
  return text;
}

/* The build log, to be freed; an empty text if there is none. */
static char *build_log(cl_program built, cl_device_id device)
{
  size_t bytes = 0;
  clGetProgramBuildInfo(built, device, CL_PROGRAM_BUILD_LOG, 0, NULL, &bytes);
  char *log = calloc(bytes + 1, 1);
  if (log && bytes) {
    clGetProgramBuildInfo(built, device, CL_PROGRAM_BUILD_LOG, bytes, log, NULL);
  }
  return log;
}

static void give_back(struct lift_program *program)
{
  for (size_t i = 0; i < LIFT_KERNELS; i++) {
    if (program->kernels[i]) {
      clReleaseKernel(program->kernels[i]);
    }
  }
  for (size_t i = 0; i < LIFT_BUFFERS; i++) {
    if (program->owned[i]) {
      clReleaseMemObject(program->owned[i]);
    }
  }
  if (program->last) {
    clReleaseCommandQueue(program->last);
  }
  if (program->queue) {
    clReleaseCommandQueue(program->queue);
  }
  if (program->built) {
    clReleaseProgram(program->built);
  }
  if (program->context) {
    clReleaseContext(program->context);
  }
  free(program);
}

/* Division and square root rounded as on the host, where the device can. */
static const char *build_options(cl_device_id device)
{
  cl_device_fp_config config = 0;
  clGetDeviceInfo(device, CL_DEVICE_SINGLE_FP_CONFIG, sizeof config, &config, NULL);
  return config & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT ? "-cl-std=CL1.2 -w -cl-fp32-correctly-rounded-divide-sqrt"
                                                      : "-cl-std=CL1.2 -w";
}

/* `built` is the program of another, or NULL. */
static struct lift_program *make(cl_context context, cl_device_id device, cl_program built, char **error)
{
  cl_int code = CL_SUCCESS;
  const size_t lines = sizeof source / sizeof *source;
  const char *what = "there is no memory";
  char *log = NULL;
  struct lift_program *program = calloc(1, sizeof *program);
  if (!program) {
    goto failed;
  }
  what = "the device cannot be used";
  program->device = device;
  if (clRetainContext(context) != CL_SUCCESS) {
    goto failed;
  }
  program->context = context;
  program->queue = clCreateCommandQueue(context, device, 0, &code);
  if (code != CL_SUCCESS) {
    goto failed;
  }
  what = "the OpenCL text cannot be built";
  if (built) {
    code = clRetainProgram(built);
    program->built = code == CL_SUCCESS ? built : NULL;
  } else {
    program->built = clCreateProgramWithSource(context, (cl_uint)lines, (const char **)source, NULL, &code);
  }
  if (code != CL_SUCCESS) {
    goto failed;
  }
  if (!built && clBuildProgram(program->built, 1, &device, build_options(device), NULL, NULL) != CL_SUCCESS) {
    log = build_log(program->built, device);
    goto failed;
  }
  what = "a kernel is not in the program";
  for (size_t i = 0; i < LIFT_KERNELS; i++) {
    program->kernels[i] = clCreateKernel(program->built, kernel_names[i], &code);
    if (code != CL_SUCCESS) {
      goto failed;
    }
  }
  return program;
failed:
  if (error) {
    *error = told(what, log ? log : "");
  }
  free(log);
  if (program) {
    give_back(program);
  }
  return NULL;
}
