// Runs an int8 .tflite file so many times with LiteRT's C library, on its CPU accelerator: litert_arm FILE TIMES.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

// Of the library, whose wheel has no headers.
enum { CPU = 1, WRITE = 1 };
int LiteRtCreateEnvironment(int count, const void *options, void **environment);
int LiteRtCreateModelFromFile(void *environment, const char *path, void **model);
int LiteRtCreateOptions(void **options);
int LiteRtSetOptionsHardwareAccelerators(void *options, int accelerators);
int LiteRtCreateCompiledModel(void *environment, void *model, void *options, void **compiled);
int LiteRtGetModelSignature(void *model, size_t index, void **signature);
int LiteRtGetSignatureInputTensorByIndex(void *signature, size_t index, void **tensor);
int LiteRtGetSignatureOutputTensorByIndex(void *signature, size_t index, void **tensor);
int LiteRtGetRankedTensorType(void *tensor, void *type);
int LiteRtGetCompiledModelInputBufferRequirements(void *compiled, size_t signature, size_t index, void **requirements);
int LiteRtGetCompiledModelOutputBufferRequirements(void *compiled, size_t signature, size_t index, void **requirements);
int LiteRtCreateManagedTensorBufferFromRequirements(void *environment, const void *type, void *requirements, void **buffer);
int LiteRtLockTensorBuffer(void *buffer, void **memory, int mode);
int LiteRtUnlockTensorBuffer(void *buffer);
int LiteRtGetTensorBufferPackedSize(void *buffer, size_t *size);
int LiteRtRunCompiledModel(void *compiled, size_t signature, size_t inputs, void **from, size_t outputs, void **to);

static void expect(int status, const char *what) {
    if (status == 0) { return; }
    fprintf(stderr, "litert_arm: %s: status %d\n", what, status);
    exit(70);
}
#define TRY(call) expect(call, #call)

int main(int argc, char **argv) {
    if (argc != 3) { return 64; }
    void *environment, *model, *options, *compiled, *signature, *tensors[2], *needs[2], *buffers[2], *memory;
    _Alignas(8) static unsigned char types[2][1024]; // larger than the library's struct
    TRY(LiteRtCreateEnvironment(0, NULL, &environment));
    TRY(LiteRtCreateModelFromFile(environment, argv[1], &model));
    TRY(LiteRtCreateOptions(&options));
    TRY(LiteRtSetOptionsHardwareAccelerators(options, CPU));
    TRY(LiteRtCreateCompiledModel(environment, model, options, &compiled));
    TRY(LiteRtGetModelSignature(model, 0, &signature));
    TRY(LiteRtGetSignatureInputTensorByIndex(signature, 0, &tensors[0]));
    TRY(LiteRtGetSignatureOutputTensorByIndex(signature, 0, &tensors[1]));
    TRY(LiteRtGetCompiledModelInputBufferRequirements(compiled, 0, 0, &needs[0]));
    TRY(LiteRtGetCompiledModelOutputBufferRequirements(compiled, 0, 0, &needs[1]));
    for (int i = 0; i < 2; i++) {
        TRY(LiteRtGetRankedTensorType(tensors[i], types[i]));
        TRY(LiteRtCreateManagedTensorBufferFromRequirements(environment, types[i], needs[i], &buffers[i]));
    }
    size_t size = 0;
    TRY(LiteRtGetTensorBufferPackedSize(buffers[0], &size));
    TRY(LiteRtLockTensorBuffer(buffers[0], &memory, WRITE));
    for (size_t i = 0; i < size; i++) { ((int8_t *)memory)[i] = (int8_t)((int)(i % 256) * 31 % 256 - 128); }
    TRY(LiteRtUnlockTensorBuffer(buffers[0]));
    for (int times = atoi(argv[2]); times > 0; times--) { TRY(LiteRtRunCompiledModel(compiled, 0, 1, &buffers[0], 1, &buffers[1])); }
    return 0;
}
