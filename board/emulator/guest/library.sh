# What the scenarios use inside the board.

# Registers are played as the chips measure at their start; the scenarios that let gaitway widen the range unset this.
export GAITWAY_RANGE=0

# The hrtimer trigger's modules, which Raspberry Pi OS leaves out.
load_triggers() { while read -r module; do insmod "/modules/$module"; done < /modules/triggers; }

# bus ADDRESSES: i2c-0 with a register file at each address, "0x15,0x1a".
bus() { insmod /modules/i2c-stub.ko chip_addr="$1"; }

# bind CHIP ADDRESS [REGISTER=VALUE...]: presets registers, then lets the kernel's driver have the chip.
bind() {
    chip=$1 address=$2
    shift 2
    [ $# = 0 ] || registers 0 "$address" set "$@"
    echo "$chip" "$address" > /sys/bus/i2c/devices/i2c-0/new_device
    sleep 0.3
}

unbind() { echo "$1" > /sys/bus/i2c/devices/i2c-0/delete_device; }

# An mxc4005 that plays the recording, and hrtimer triggers: what most scenarios begin with. A wearer does not wait for the board.
# playing_mxc4005 [FILE]: the chip plays it, /replay.csv without a word.
playing_mxc4005() {
    load_triggers
    bus 0x15
    bind mxc4005 0x15 0x0e=0x02
    registers 0 0x15 play "/${1:-replay}.csv" be16:4 0x03 &
    renice -n -20 -p $! > /dev/null
}

# fifo_chip FILE [OPTION]: a BMA255 with FIFO and interrupts that plays the file.
fifo_chip() {
    insmod /modules/fifo_chip.ko $2
    dd if="/$1.bin" of=/dev/fifo_chip bs=6000 2> /dev/null # whole samples at once
    sleep 0.3
}

# The directory of a trigger.
trigger_named() { for t in /sys/bus/iio/devices/trigger*; do [ "$(cat "$t/name")" != "$1" ] || echo "$t"; done; }

# The directory of the trigger that gaitway made.
made_trigger() { for t in /sys/bus/iio/devices/trigger*; do case $(cat "$t/name") in gaitway*) echo "$t" ;; esac; done; }

# part NAME: what follows in the log belongs to it.
part() { echo "@ $1"; }

# The log's numbers: hundredths of seconds since the start.
uptime_now() { cut -d' ' -f1 /proc/uptime; }
