# The accelerometer drivers of Debian's kernel that i2c-stub can stand in for, one after the other, and the two HID layouts.
load_triggers
# Not here: stk8312 and bma250 wait for answers that a register file does not give, and adxl345 does not take a device made by hand.
bus 0x0e,0x18,0x15,0x19,0x1a,0x1c,0x1d

# chip NAME ADDRESS FORMAT REGISTER FILE [SECOND_REGISTER|-] [REGISTER=VALUE...]
chip() {
    name=$1 address=$2 format=$3 register=$4 file=$5 second=$6
    shift 6
    part "$name"
    # The real chip clears its reset bit itself.
    [ "$name" != mma8452 ] || registers 0 "$address" hold 0x2b=0 1 &
    bind "$name" "$address" "$@"
    [ "$second" != - ] || second=
    registers 0 "$address" play "/$file.csv" "$format" "$register" $second & player=$!
    gaitway devices --json
    gaitway run --source "iio:$name" --model /model --duration 11.52 --json
    echo "exit code $?"
    # Read axis by axis, a sample may come from two of the player's: whether it does depends on when the run began.
    case $name in bmc150_accel | stk8ba50)
        for offset in 0.003 0.009; do
            sleep $offset
            part "$name, after $offset"
            gaitway devices --json
            gaitway run --source "iio:$name" --model /model --duration 11.52 --json
            echo "exit code $?"
        done
        ;;
    esac
    part "range of $name"
    GAITWAY_RANGE=8 gaitway run --source "iio:$name" --model /model --duration 1 2>&1
    cat /sys/bus/iio/devices/iio:device0/in_accel_scale_available
    gaitway devices --json
    kill $player
    unbind "$address"
}
chip mxc4005 0x15 be16:4 0x03 s12 - 0x0e=0x02
chip stk8ba50 0x18 le16:6 0x02 s10 -
chip lis3dh 0x1a le16:4 0x28 s12 0xa8 0x0f=0x33 0x8f=0x33
chip mma7455 0x1d le16:0 0x00 s10 - 0x0f=0x55 0x09=0x01
chip mma8452 0x1c be16:4 0x01 s12 - 0x0d=0x2a 0x00=0x0f
chip kxsd9 0x19 be16:4 0x00 u12 -
chip kxcjk1013 0x0e le16:4 0x06 s12 - 0x0f=0x0a
chip bmc150_accel 0x18 le16:4 0x02 s12 - 0x00=0xfa 0x08=0x18

for bits in 16 32; do
    part "hid$bits"
    hid_sensor /hid.csv $bits & sensor=$!
    sleep 1.5
    gaitway devices --json
    gaitway run --source iio:accel_3d --model /model --duration 11.52 --json
    echo "exit code $?"
    kill $sensor
    sleep 0.5
done
