/* SPDX-License-Identifier: Apache-2.0
 *
 * The program cache under attack, seen from an application: whatever happens to the folder, an operator's results are
 * right, nothing crashes, and afterwards the cache serves again. The layer of faults.h stands below the library's
 * folder. The program starts itself again for processes that are killed or that come in a crowd.
 */
#include "disk_kit.h"
#include "faults.h"
#include "runtime/program.h"

#include <math.h>
#include <ocldnn/ocldnn.h>

enum { ROWS = 3, WIDTH = 64, COUNT = ROWS * WIDTH };

static const char *myself;
static bool small;

/* ---- an application ---------------------------------------------------------------------------------------------- */

static float input_at(int i)
{
    return (float)(i * 7 % 13 - 6);
}

/* Small integers are the same bits in F32 and BF16's upper halves, so one input serves both. */
static void encode(uint32_t dtype, unsigned char *bytes)
{
    for (int i = 0; i < COUNT; i++) {
        float value = input_at(i);
        uint32_t word;
        uint16_t half;
        memcpy(&word, &value, sizeof word);
        half = (uint16_t)(word >> 16);
        if (dtype == OCLDNN_F32)
            memcpy(bytes + 4 * i, &word, 4);
        else
            memcpy(bytes + 2 * i, &half, 2);
    }
}

static bool is_right(uint32_t dtype, const unsigned char *bytes)
{
    for (int i = 0; i < COUNT; i++) {
        double squares = 0, wanted;
        uint32_t word = 0;
        float found;
        for (int j = 0; j < WIDTH; j++)
            squares += (double)input_at(i / WIDTH * WIDTH + j) * (double)input_at(i / WIDTH * WIDTH + j);
        wanted = (double)input_at(i) / sqrt(squares / WIDTH);
        memcpy((unsigned char *)&word + (dtype == OCLDNN_F32 ? 0 : 2), bytes + (dtype == OCLDNN_F32 ? 4 : 2) * i,
               dtype == OCLDNN_F32 ? 4 : 2);
        memcpy(&found, &word, sizeof found);
        if (!(fabs((double)found - wanted) <= (dtype == OCLDNN_F32 ? 1e-5 : 0.01)))
            return false;
    }
    return true;
}

/* Runs an RMS norm and compares. */
static bool compute(ocldnn_context *context, uint32_t dtype)
{
    const int64_t shape[] = {ROWS, WIDTH};
    unsigned char bytes[4 * COUNT] = {0};
    cl_int code;
    cl_context cl = ocldnn_context_cl(context);
    cl_command_queue queue = clCreateCommandQueue(cl, ocldnn_context_device(context), 0, &code);
    cl_mem x, y;
    ocldnn_rms_norm op = {.epsilon = 1e-12f};
    bool right;
    encode(dtype, bytes);
    x = clCreateBuffer(cl, CL_MEM_COPY_HOST_PTR, sizeof bytes, bytes, &code);
    y = clCreateBuffer(cl, 0, sizeof bytes, NULL, &code);
    op.input = ocldnn_tensor_dense(x, (ocldnn_dtype)dtype, 2, shape);
    op.output = ocldnn_tensor_dense(y, (ocldnn_dtype)dtype, 2, shape);
    right = ocldnn_rms_norm_run(context, &op, &(ocldnn_exec){.queue = queue}) == OCLDNN_SUCCESS &&
            clEnqueueReadBuffer(queue, y, CL_TRUE, 0, sizeof bytes, bytes, 0, NULL, NULL) == CL_SUCCESS &&
            is_right(dtype, bytes);
    clReleaseMemObject(x);
    clReleaseMemObject(y);
    clReleaseCommandQueue(queue);
    return right;
}

typedef enum outcome { RIGHT_BUILT, RIGHT_LOADED, WRONG } outcome;

/* An application from its start to its end. ready: a pipe whose end it waits for once it has a context; -1 for none. */
static outcome application(const char *cache, uint32_t dtype, int ready)
{
    const ocldnn_context_options options = {.cache_folder = cache};
    ocldnn_context *context;
    ocldnn_stats stats = {0};
    char byte;
    bool right;
    if (ocldnn_context_create_default(&options, &context) != OCLDNN_SUCCESS)
        return WRONG;
    while (ready >= 0 && read(ready, &byte, 1) > 0)
        continue;
    right = compute(context, dtype);
    ocldnn_context_stats(context, &stats);
    ocldnn_context_destroy(context); /* some drivers' binaries are stored only now */
    return !right ? WRONG : stats.programs_loaded ? RIGHT_LOADED : RIGHT_BUILT;
}

/* In a process of its own: what main() does when it is given these. */
static pid_t start(int call, fault_act act, int ready)
{
    char numbers[3][16];
    pid_t child;
    snprintf(numbers[0], sizeof numbers[0], "%d", call);
    snprintf(numbers[1], sizeof numbers[1], "%d", (int)act);
    snprintf(numbers[2], sizeof numbers[2], "%d", ready);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        execl(myself, myself, folder, numbers[0], numbers[1], numbers[2], (char *)NULL);
        _exit(99);
    }
    return child;
}

static int finish(pid_t child)
{
    int result = 0;
    assert_int_equal(waitpid(child, &result, 0), child);
    if (WIFSIGNALED(result) && WTERMSIG(result) != SIGKILL)
        fail_msg("a process ended with signal %d", WTERMSIG(result));
    return WIFSIGNALED(result) ? -1 : WEXITSTATUS(result);
}

/* ---- the folder afterwards --------------------------------------------------------------------------------------- */

static int remember(void *user, const ocldnn_cache_entry *entry)
{
    *(ocldnn_cache_entry *)user = *entry;
    return 1;
}

static ocldnn_cache_entry only_entry(void)
{
    ocldnn_cache_entry entry = {0};
    assert_int_equal(ocldnn_cache_visit(folder, remember, &entry), OCLDNN_SUCCESS);
    assert_true(od_key_valid(entry.key));
    return entry;
}

static bool device_keeps_binaries(void)
{
    application(folder, OCLDNN_F32, -1);
    return application(folder, OCLDNN_F32, -1) == RIGHT_LOADED;
}

/* ---- attacks ----------------------------------------------------------------------------------------------------- */

static void killed_at_every_call(void **state)
{
    int killed = 1;
    (void)state;
    if (!device_keeps_binaries())
        skip();
    for (int call = 1; killed; call += small ? 4 : 1) {
        remove_tree(folder);
        killed = finish(start(call, FAULT_KILL, -1)) == -1;
        /* A half entry would be the driver's to see, and PoCL's end. */
        assert_int_not_equal(finish(start(0, FAULT_FAIL, -1)), WRONG);
        assert_int_equal(application(folder, OCLDNN_F32, -1), RIGHT_LOADED);
    }
}

static void each_call_fails(void **state)
{
    static const int errors[] = {ENOSPC, EIO, EMFILE}; /* all of them: test_disk_faults */
    (void)state;
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        for (int warm = 0; warm < 2; warm++) {
            bool hit = true;
            remove_tree(folder);
            for (int call = 1; hit; call += small ? 5 : 1) {
                if (!warm)
                    remove_tree(folder);
                faults = (faults_state){.at = call, .error = errors[i], .lasting = call % 2};
                assert_int_not_equal(application(folder, OCLDNN_F32, -1), WRONG);
                hit = faults.hit;
                memset(&faults, 0, sizeof faults);
            }
        }
    assert_int_not_equal(application(folder, OCLDNN_F32, -1), WRONG);
}

static void damage(const unsigned char *bytes, size_t length, bool keeps)
{
    ocldnn_cache_entry entry;
    write_file(path_of(only_entry().key), bytes, length);
    assert_int_equal(application(folder, OCLDNN_F32, -1), RIGHT_BUILT);
    if (keeps)
        assert_int_equal(application(folder, OCLDNN_F32, -1), RIGHT_LOADED);
    entry = only_entry();
    assert_true(entry.bytes > 0);
}

/* A real program, shortened to each kind of length and with a bit flipped in each part of it. A driver that saw these
 * might end the process: PoCL and rusticl do. */
static void damaged_programs_are_built_again(void **state)
{
    unsigned char *bytes;
    size_t length, cuts[] = {0, 1, 7, 8, 63, 527, 528, 529, 543, 544, 545, 0, 0, 0, 0};
    int file;
    (void)state;
    if (!device_keeps_binaries())
        skip();
    length = only_entry().bytes;
    bytes = malloc(length);
    assert_non_null(bytes);
    file = open(path_of(only_entry().key), O_RDONLY);
    assert_int_equal(read(file, bytes, length), (ssize_t)length);
    close(file);
    cuts[11] = length / 2;
    cuts[12] = length - 17;
    cuts[13] = length - 16;
    cuts[14] = length - 1;
    for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i += small ? 5 : 1)
        damage(bytes, cuts[i], i % 4 == 0);
    for (size_t i = 0; i < 24; i += small ? 6 : 1) {
        size_t at = i < 8 ? i * 66 : i < 16 ? 528 + (length - 544) * (i - 8) / 8 : length - (i - 15) * 2;
        bytes[at] ^= (unsigned char)(1 << i % 8);
        damage(bytes, length, i % 4 == 0);
        bytes[at] ^= (unsigned char)(1 << i % 8);
    }
    free(bytes);
}

/* Two programs whose keys are the same hash: here BF16's under the name of F32's, whole, with that key in it. The
 * driver would take it, and the results would be wrong. */
static void another_program_of_the_same_name(void **state)
{
    ocldnn_cache_entry single;
    od_disk *disk;
    od_blob other;
    (void)state;
    if (!device_keeps_binaries())
        skip();
    single = only_entry();
    assert_int_equal(unlink(path_of(single.key)), 0);
    application(folder, OCLDNN_BF16, -1);
    disk = open_disk(0);
    assert_true(od_disk_load(disk, only_entry().key, &other));
    od_disk_store(disk, single.key, &other.entry.meta, other.entry.binary, other.entry.binary_bytes);
    od_blob_free(&other);
    od_disk_close(disk);
    assert_int_equal(application(folder, OCLDNN_F32, -1), RIGHT_BUILT);
    assert_int_equal(application(folder, OCLDNN_F32, -1), RIGHT_LOADED);
    assert_int_equal(application(folder, OCLDNN_BF16, -1), RIGHT_LOADED);
}

/* Everything that a binary depends on is in the name, so that what other versions left is never looked at. */
static void every_version_has_a_name_of_its_own(void **state)
{
    od_device facts = {.name = "device", .vendor_name = "vendor", .driver = "1", .platform = "OpenCL 3.0"};
    char *parts[] = {facts.name, facts.vendor_name, facts.driver, facts.platform};
    char keys[7][33];
    od_source source = {.text = "kernel", .length = 6}, changed = {.text = "kernem", .length = 6};
    (void)state;
    od_program_key(&facts, &source, "-D A=1", keys[0]);
    for (int i = 0; i < 4; i++) {
        parts[i][0]++;
        od_program_key(&facts, &source, "-D A=1", keys[1 + i]);
        parts[i][0]--;
    }
    od_program_key(&facts, &source, "-D A=2", keys[5]);
    od_program_key(&facts, &changed, "-D A=1", keys[6]);
    for (int i = 0; i < 7; i++)
        for (int j = 0; j < i; j++)
            assert_string_not_equal(keys[i], keys[j]);
    od_program_key(&facts, &source, "-D A=1", keys[1]);
    assert_string_equal(keys[0], keys[1]);
}

static void crowd_on_a_cold_cache(void **state)
{
    int ends[2], crowd = small ? 8 : 64;
    pid_t children[64];
    (void)state;
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(fcntl(ends[1], F_SETFD, FD_CLOEXEC), 0);
    for (int i = 0; i < crowd; i++)
        children[i] = start(0, FAULT_FAIL, ends[0]);
    close(ends[0]);
    close(ends[1]); /* now they go */
    for (int i = 0; i < crowd; i++) {
        int result = finish(children[i]);
        assert_in_range(result, RIGHT_BUILT, RIGHT_LOADED);
    }
    if (!device_keeps_binaries())
        skip();
    assert_int_equal(names(), 1);
    assert_int_equal(application(folder, OCLDNN_F32, -1), RIGHT_LOADED);
}

int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        TEST(killed_at_every_call),
        TEST(each_call_fails),
        TEST(damaged_programs_are_built_again),
        TEST(another_program_of_the_same_name),
        TEST(every_version_has_a_name_of_its_own),
        TEST(crowd_on_a_cold_cache),
    };
    const char *asked = getenv("OCLDNN_TEST_SMALL");
    if (count == 5) {
        faults = (faults_state){.at = atoi(arguments[2]), .act = (fault_act)atoi(arguments[3])};
        return application(arguments[1], OCLDNN_F32, atoi(arguments[4]));
    }
    myself = arguments[0];
    small = asked && *asked && *asked != '0';
    return cmocka_run_group_tests_name("runtime/cache_attacked", tests, NULL, NULL);
}
