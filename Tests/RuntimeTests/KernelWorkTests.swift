import Testing

@testable import Runtime

@Suite struct KernelWorkTests {
    // As a Raspberry Pi prints them, and a chip behind a trigger.
    private let interrupts = """
                   CPU0       CPU1       CPU2       CPU3
         27:    1024993     920109     853241     865434     GICv2  30 Level     arch_timer
         43:        100         20          3          1     GICv2 149 Level     fe205000.i2c, fe804000.i2c
         55:       4000          0          0          0  pinctrl-bcm2835   4 Edge      bmc150_accel_event
         56:        250          0          0          0    hrtimer   0 Edge      mxc4005_consumer0
        IPI0:      99999      99999      99999      99999       Rescheduling interrupts
        ERR:          0
        """

    private static let sensors: [(names: [String], sum: Int64)] = [
        (["bma255", "bmc150_accel_i2c", "bmc150_accel"], 4000), (["mxc4005"], 250), (["fe804000.i2c"], 124),
        (["mxc4005", "fe804000.i2c"], 374),
    ]

    @Test(arguments: sensors) func theLinesOfASensorAreSummed(names: [String], sum: Int64) {
        #expect(KernelWork.sum(interrupts, of: names) == sum)
    }

    @Test func aSensorThatTheKernelDoesNotCountHasNone() {
        #expect(KernelWork.sum(interrupts, of: ["lis3dh"]) == nil)
        #expect(KernelWork.sum("", of: ["mxc4005"]) == nil)
    }

    @Test func aDriverWithoutItsVendorIsTheSame() {
        #expect(KernelWork.sum(" 60: 7 0 gpio 3 Level lsm6dsx", of: ["st_lsm6dsx"]) == 7)
    }

    @Test func workIsCountedFromTheStart() {
        let before = KernelWork(interrupts: 100, switches: 10), now = KernelWork(interrupts: 150, switches: 25)
        #expect(now.since(before) == KernelWork(interrupts: 50, switches: 15))
        #expect(KernelWork(interrupts: nil, switches: 25).since(before).interrupts == nil)
    }
}
