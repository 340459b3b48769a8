// A BMA255 on an I2C bus of its own, with FIFO and interrupt line, which i2c-stub has not: the kernel's bmc150-accel driver captures
// from it and gets its interrupts. It plays what is written to /dev/fifo_chip, a sample of three little-endian 16-bit words at each of
// its sampling instants, of which a rate below 62.5 Hz leaves some out; the last one stays. Registers as in Bosch's data sheet BST-BMA255-DS004.
#include <linux/hrtimer.h>
#include <linux/i2c.h>
#include <linux/interrupt.h>
#include <linux/irq.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

enum {
    ADDRESS = 0x18, CHIP_ID = 0x00, DATA = 0x02, MOTION_STATUS = 0x0b, FIFO_STATUS = 0x0e, BANDWIDTH = 0x10, POWER = 0x11,
    RESET = 0x14, SLOPE_ENABLE = 0x16, INTERRUPT_ENABLE = 0x17, SLOPE_MAP = 0x19, INTERRUPT_MAP = 0x1a, SLOPE_DURATION = 0x27,
    SLOPE_THRESHOLD = 0x28, FIFO_WATERMARK = 0x30, FIFO_MODE = 0x3e, FIFO_DATA = 0x3f,
    WATERMARK_BIT = 1 << 6, DATA_BIT = 1 << 4, DEPTH = 32, SAMPLE = 6, ROOM = 1 << 20
};

static struct chip {
    spinlock_t lock;
    u8 registers[64], fifo[DEPTH][SAMPLE];
    int count, pointer, within;   // samples in the FIFO; the register that is read next, and the byte of the FIFO's first sample
    int still_moving;             // samples in a row above the slope's threshold
    bool line;
    u8 *played;
    size_t length, place;
    int irq;
    struct hrtimer clock;
    struct i2c_adapter bus;
    struct i2c_client *client;
} chip;

static bool wired = true;
module_param(wired, bool, 0444);
MODULE_PARM_DESC(wired, "whether the interrupt line leads anywhere");

static ktime_t period(void) { return ns_to_ktime(64000000 >> ((chip.registers[BANDWIDTH] & 0x1f) - 8)); }

// What is played was recorded at 62.5 Hz.
static int rows_at_once(void) {
    int bandwidth = chip.registers[BANDWIDTH] & 0x1f;
    return bandwidth < 10 ? 1 << (10 - bandwidth) : 1;
}

static void update_line(bool motion) {
    bool watermark = (chip.registers[INTERRUPT_ENABLE] & WATERMARK_BIT) && (chip.registers[INTERRUPT_MAP] & 2) &&
        chip.count >= chip.registers[FIFO_WATERMARK] && chip.registers[FIFO_WATERMARK];
    bool slope = motion && (chip.registers[SLOPE_MAP] & 4);
    chip.line = watermark || slope;
}

static bool moves(const u8 *before, const u8 *now) {
    bool above = false;
    // A bit of the threshold is 7.81 mg at +-4 g: 4 counts of 12 bits.
    int threshold = chip.registers[SLOPE_THRESHOLD] * 4;
    chip.registers[MOTION_STATUS] = 0;
    for (int axis = 0; axis < 3; axis++) {
        int difference = ((s16)(now[2 * axis] | now[2 * axis + 1] << 8) >> 4) - ((s16)(before[2 * axis] | before[2 * axis + 1] << 8) >> 4);
        if (!(chip.registers[SLOPE_ENABLE] & 1 << axis) || abs(difference) <= threshold) { continue; }
        above = true;
        chip.registers[MOTION_STATUS] |= 1 << axis | (difference < 0 ? 8 : 0);
    }
    chip.still_moving = above ? chip.still_moving + 1 : 0;
    return chip.still_moving > (chip.registers[SLOPE_DURATION] & 3);
}

static enum hrtimer_restart sample(struct hrtimer *clock) {
    unsigned long flags;
    bool was, raised;
    spin_lock_irqsave(&chip.lock, flags);
    was = chip.line;
    if (chip.place + SAMPLE <= chip.length && !(chip.registers[POWER] & 0xe0)) {
        const u8 *now = chip.played + chip.place;
        bool motion = moves(chip.registers + DATA, now);
        memcpy(chip.registers + DATA, now, SAMPLE);
        for (int rows = rows_at_once(); rows > 0 && chip.place + 2 * SAMPLE <= chip.length; rows--) { chip.place += SAMPLE; }
        if ((chip.registers[FIFO_MODE] & 0xc0) && chip.count < DEPTH) { memcpy(chip.fifo[chip.count++], now, SAMPLE); }
        update_line(motion);
    }
    raised = chip.line && !was;
    // New data is no level: a pulse for each.
    if ((chip.registers[INTERRUPT_ENABLE] & DATA_BIT) && (chip.registers[INTERRUPT_MAP] & 1)) { raised = true; }
    hrtimer_forward_now(clock, period());
    spin_unlock_irqrestore(&chip.lock, flags);
    if (raised) { generic_handle_irq_safe(chip.irq); }
    return HRTIMER_RESTART;
}

static void reset(void) {
    memset(chip.registers, 0, sizeof chip.registers);
    chip.registers[CHIP_ID] = 0xfa;
    chip.registers[BANDWIDTH] = 0x0f;
    chip.registers[SLOPE_THRESHOLD] = 0x14;
    chip.count = chip.within = 0;
}

static void write_register(int number, u8 value) {
    if (number == RESET) { reset(); }
    if (number == BANDWIDTH) { value = clamp_t(u8, value & 0x1f, 8, 15); }
    chip.registers[number] = value;
    if (number == FIFO_MODE) { chip.count = chip.within = 0; }
    update_line(false);
}

static u8 read_register(void) {
    u8 value;
    if (chip.pointer == FIFO_STATUS) { return chip.count; }
    if (chip.pointer != FIFO_DATA) {
        value = chip.registers[chip.pointer];
        chip.pointer = (chip.pointer + 1) & 0x3f;
        return value;
    }
    if (!chip.count) { return 0; }
    value = chip.fifo[0][chip.within++];
    if (chip.within == SAMPLE) {
        memmove(chip.fifo[0], chip.fifo[1], (size_t)--chip.count * SAMPLE);
        chip.within = 0;
        update_line(false);
    }
    return value;
}

static int transfer(struct i2c_adapter *bus, struct i2c_msg *messages, int count) {
    unsigned long flags;
    for (int i = 0; i < count; i++) {
        struct i2c_msg *message = &messages[i];
        if (message->addr != ADDRESS) { return -ENXIO; }
        spin_lock_irqsave(&chip.lock, flags);
        for (int k = 0; k < message->len; k++) {
            if (message->flags & I2C_M_RD) {
                message->buf[k] = read_register();
            } else if (k == 0) {
                chip.pointer = message->buf[0] & 0x3f;
            } else {
                write_register((chip.pointer + k - 1) & 0x3f, message->buf[k]);
            }
        }
        spin_unlock_irqrestore(&chip.lock, flags);
    }
    return count;
}

static u32 functionality(struct i2c_adapter *bus) { return I2C_FUNC_I2C | I2C_FUNC_SMBUS_EMUL; }

static const struct i2c_algorithm algorithm = {.master_xfer = transfer, .functionality = functionality};

static ssize_t take_samples(struct file *file, const char __user *from, size_t length, loff_t *place) {
    unsigned long flags;
    size_t room = ROOM - chip.length;
    length = min(length, room) / SAMPLE * SAMPLE;
    if (!length) { return -ENOSPC; }
    if (copy_from_user(chip.played + chip.length, from, length)) { return -EFAULT; }
    spin_lock_irqsave(&chip.lock, flags);
    chip.length += length;
    spin_unlock_irqrestore(&chip.lock, flags);
    return length;
}

static const struct file_operations operations = {.owner = THIS_MODULE, .write = take_samples};
static struct miscdevice device = {.minor = MISC_DYNAMIC_MINOR, .name = "fifo_chip", .fops = &operations};

static int __init begin(void) {
    struct i2c_board_info info = {.type = "bma255", .addr = ADDRESS};
    int error;
    spin_lock_init(&chip.lock);
    reset();
    chip.played = vzalloc(ROOM);
    if (!chip.played) { return -ENOMEM; }
    chip.irq = irq_alloc_desc(0);
    if (chip.irq < 0) { return chip.irq; }
    irq_set_chip_and_handler(chip.irq, &dummy_irq_chip, handle_simple_irq);
    irq_modify_status(chip.irq, IRQ_NOREQUEST | IRQ_NOAUTOEN, IRQ_NOPROBE);
    chip.bus.owner = THIS_MODULE;
    chip.bus.algo = &algorithm;
    strscpy(chip.bus.name, "a bus with one BMA255", sizeof chip.bus.name);
    error = i2c_add_adapter(&chip.bus);
    if (!error) { error = misc_register(&device); }
    if (error) { return error; }
    hrtimer_init(&chip.clock, CLOCK_MONOTONIC, HRTIMER_MODE_REL_HARD);
    chip.clock.function = sample;
    hrtimer_start(&chip.clock, period(), HRTIMER_MODE_REL_HARD);
    info.irq = wired ? chip.irq : 0;
    chip.client = i2c_new_client_device(&chip.bus, &info);
    return PTR_ERR_OR_ZERO(chip.client);
}

static void __exit end(void) {
    i2c_unregister_device(chip.client);
    hrtimer_cancel(&chip.clock);
    misc_deregister(&device);
    i2c_del_adapter(&chip.bus);
    irq_free_desc(chip.irq);
    vfree(chip.played);
}

module_init(begin);
module_exit(end);
MODULE_DESCRIPTION("A BMA255 with FIFO and interrupts, for Gaitway's emulated board");
MODULE_LICENSE("Dual MIT/GPL");
