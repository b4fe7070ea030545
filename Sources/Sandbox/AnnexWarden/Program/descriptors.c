#include "descriptors.h"

#include "syscalls.h"
#include "warden.h"

// The number of descriptors that the launch itself still needs. exec closes them. The descriptor `executed` exists
// only with a reaper.
#define OWN_COUNT 4u
#define KEPT_LARGEST (ANNEX_PLAN_DESCRIPTORS + OWN_COUNT)

static int lowest_free_of_targets(const annex_descriptor *list, uint32_t count) {
    int lowest = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (list[i].number >= lowest) lowest = list[i].number + 1;
    }
    return lowest;
}

// Duplicates a descriptor to a number above all target numbers.
static long move_up(int *descriptor, int lowest) {
    long moved = CALL(NR_fcntl, *descriptor, F_DUPFD_CLOEXEC, lowest);
    if (moved >= 0) *descriptor = (int)moved;
    return moved < 0 ? moved : 0;
}

static void sort(int *numbers, uint32_t count) {
    for (uint32_t i = 1; i < count; i++) {
        int number = numbers[i];
        uint32_t place = i;
        for (; place > 0 && numbers[place - 1] > number; place--) numbers[place] = numbers[place - 1];
        numbers[place] = number;
    }
}

long descriptors_close_all_but(int *kept, uint32_t count) {
    sort(kept, count);
    uint32_t next = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t number = (uint32_t)kept[i];
        if (number > next) {
            long result = CALL(NR_close_range, next, number - 1, 0);
            if (result < 0) return result;
        }
        next = number + 1;
    }
    return CALL(NR_close_range, next, UINT32_MAX, 0);
}

long descriptors_place(struct launch *launch) {
    const annex_descriptor *list = plan_records(launch->plan, launch->plan->descriptors);
    uint32_t count = launch->plan->descriptors.count;
    int lowest = lowest_free_of_targets(list, count);
    int kept[KEPT_LARGEST];
    int sources[ANNEX_PLAN_DESCRIPTORS];
    int *own[OWN_COUNT] = {&launch->report, &launch->executable, &warden.self, &launch->executed};
    uint32_t own_count = launch->executed < 0 ? OWN_COUNT - 1 : OWN_COUNT;

    for (uint32_t i = 0; i < own_count; i++) {
        long result = move_up(own[i], lowest);
        if (result < 0) return result;
        kept[count + i] = *own[i];
    }
    // All descriptors move up before any is placed, because the target number of one descriptor may be the present
    // number of another.
    for (uint32_t i = 0; i < count; i++) {
        launch->detail = i;
        sources[i] = launch->descriptors[list[i].index];
        long result = move_up(&sources[i], lowest);
        if (result < 0) return result;
    }
    for (uint32_t i = 0; i < count; i++) {
        launch->detail = i;
        long result = CALL(NR_dup3, sources[i], list[i].number, 0);
        if (result < 0) return result;
        kept[i] = list[i].number;
    }
    launch->detail = 0;
    return descriptors_close_all_but(kept, count + own_count);
}
