#include "children.h"

#include "syscalls.h"

static struct child *table;
// The process numbers are stored in a separate array, and not in the slots of the table. The reason is that a search
// for a number reads all numbers, and the slots are pages apart.
static int *processes;
static uint32_t first_free, last_free, free_count, end_of_used;

long children_prepare(void) {
    uint64_t size = (sizeof(struct child) + sizeof *processes) * CHILDREN_LARGEST;
    long place = CALL(NR_mmap, 0, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (place < 0 && place > -4096) return place;
    table = (struct child *)place;
    processes = (int *)(table + CHILDREN_LARGEST);
    // Children get no copy of the table. The copy would make each clone slower, and a child's code must not see other
    // launches.
    long result = CALL(NR_madvise, place, size, MADV_DONTFORK);
    if (result < 0) return result;
    first_free = 0;
    last_free = CHILDREN_LARGEST - 1;
    free_count = CHILDREN_LARGEST;
    // A slot that was never used holds zeroes and costs no memory. If `next_free` of a slot is zero, the next free
    // slot is the one with the next index.
    return 0;
}

struct child *children_at(uint32_t index) { return index < CHILDREN_LARGEST ? &table[index] : (struct child *)0; }

uint32_t children_end(void) { return end_of_used; }

uint32_t children_index(const struct child *child) { return (uint32_t)(child - table); }

// `next_free` holds an index plus one. So zero can mean "the next index, whose slot was never used".
static uint32_t following(uint32_t index) {
    return table[index].next_free == 0 ? index + 1 : table[index].next_free - 1;
}

struct child *children_take(uint32_t reserve) {
    if (free_count <= reserve || free_count == 0) return 0;
    struct child *child = &table[first_free];
    first_free = following(first_free);
    free_count--;
    if (children_index(child) >= end_of_used) end_of_used = children_index(child) + 1;
    child->used = 1;
    child->generation++;
    child->pending = 0;
    child->pidfd = child->report = child->program = child->listener = child->scratch = -1;
    child->outcome = UNDECIDED;
    child->wants_listener = 0;
    child->has_reaper = 0;
    child->has_status = 0;
    child->leaves_others = 0;
    child->is_unwatched = 0;
    child->has_ended = 0;
    child->crowded_since = 0;
    child->listener_fault = 0;
    child->answer = (annex_answer){.version = ANNEX_WARDEN_VERSION};
    child->removals_length = 0;
    return child;
}

void children_name(struct child *child, int process) {
    child->answer.process = process;
    processes[children_index(child)] = process;
}

struct child *children_with(int process) {
    for (uint32_t i = 0; i < end_of_used; i++) {
        // The slot of an ended child is kept until its answers were sent. During that time, the kernel may give the
        // child's number to another process.
        if (processes[i] == process && table[i].used && !table[i].has_ended) return &table[i];
    }
    return 0;
}

void children_close(struct child *child) {
    close_descriptor(child->pidfd);
    close_descriptor(child->report);
    close_descriptor(child->program);
    close_descriptor(child->listener);
    close_descriptor(child->scratch);
    child->pidfd = child->report = child->program = child->listener = child->scratch = -1;
}

void children_release(struct child *child) {
    uint32_t index = children_index(child);
    children_close(child);
    processes[index] = 0;
    child->used = 0;
    child->pending = 0;
    if (free_count == 0) first_free = index;
    else table[last_free].next_free = index + 1;
    last_free = index;
    free_count++;
}

void children_answer(struct child *child, uint32_t kind) { child->pending |= 1u << kind; }

void children_fail(struct child *child, uint32_t step, int32_t error, uint32_t detail) {
    if (child->outcome != UNDECIDED) return;
    child->outcome = FAILED;
    child->answer.step = step;
    child->answer.error = error;
    child->answer.detail = detail;
    children_answer(child, ANNEX_ANSWER_FAILED);
}
