/// What went wrong, why, and what to do about it. The one error type of Gaitway's rooms.
public struct Fault: Error, Equatable, Sendable, CustomStringConvertible {
    /// The kind of failure; its raw value is the exit code of `gaitway`.
    public enum Code: Int32, Sendable {
        /// Anything without a code of its own.
        case failure = 1
        /// The command line asks for something that does not exist.
        case usage = 64
        /// A file was read and is not what it should be.
        case badData = 65
        /// A file or directory is not there or cannot be opened.
        case noInput = 66
        /// No sensor, or it stopped answering.
        case sensorUnavailable = 69
        /// The network or a server does not answer; the same may work later.
        case temporary = 75
        /// The operating system or a server refuses access.
        case permission = 77
        /// The configuration is wrong.
        case configuration = 78
    }

    /// What a caller acts on where the code alone does not tell.
    package enum Condition: Sendable {
        /// A sensor's driver does not fill its buffer; its attributes may still be read.
        case bufferRefused
        /// A sensor is there and cannot be used as it is.
        case sensorUnusable
        /// Another program captures from the sensor.
        case sensorBusy
        /// As much privacy was given away today as a day may cost.
        case daySpent
        /// A board of that name is registered, and whoever asks does not have its key.
        case nameTaken
        /// Somebody else wrote what was to be replaced.
        case changedMeanwhile
        /// It did not end in the time that it had.
        case tookTooLong
        /// The disk has no room left.
        case diskFull
        /// The disk does not keep up.
        case diskSlow
    }

    /// Its kind; the exit code of `gaitway`.
    public var code: Code
    package var condition: Condition?
    /// What happened, naming the thing it happened to.
    public var message: String
    /// What to do about it, when something can be said.
    public var remedy: String?

    /// - Parameters:
    ///   - message: what happened, naming the thing it happened to.
    ///   - remedy: what to do about it.
    public init(_ code: Code, _ message: String, remedy: String? = nil) { self.init(code, message, remedy: remedy, condition: nil) }

    package init(_ code: Code, _ message: String, remedy: String? = nil, condition: Condition?) {
        self.code = code
        self.condition = condition
        // A part of it may be a server's, or a file's.
        self.message = Printable.short(Printable.text(message), 8000)
        self.remedy = remedy.map { Printable.text($0) }
    }

    /// Message and remedy, a line each.
    public var description: String { remedy.map { "\(message)\n  \($0)" } ?? message }
}
