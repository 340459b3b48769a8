/// What the wearer of a demonstration does, as scripts of the simulated wearer.
enum DemonstrationDay {
    /// Ten hours, with a fall after which the wearer gets up by themselves.
    static let before = """
        lie=2400,sit=60,stand=300,walk=60,stand=420,sit=1200,walk=540,upstairs=30,walk=40,sit=2700,stand=120,walk=90,stand=180,walk=90,\
        sit=3000,walk=60,downstairs=30,walk=600,stand=240,sit=1500,walk=480,upstairs=30,walk=30,sit=2400,walk=80,fall=18,\
        walk=40,sit=1800,stand=300,walk=120,sit=3300,downstairs=30,walk=1500,upstairs=40,stand=600,sit=1900,walk=80,stand=860,\
        sit=1500,walk=150,lie=1500,stand=60,walk=120,sit=2700,stand=240,walk=90,sit=2400
        """
    /// Over and over: what a waist model tells apart, and, in the second minute, a fall that becomes an alarm.
    static let now = """
        stand=20,walk=40,fall=75,walk=40,sit=60,stand=15,walk=25,upstairs=30,walk=20,downstairs=30,walk=20,stand=15,lie=40,\
        stand=20,walk=30,repeat
        """
}
