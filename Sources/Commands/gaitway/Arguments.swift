internal import ArgumentParser
package import CrowdLearning
import NeuralNetwork
import Recognition
package import Sensing

// Words of the command line that are cases of the rooms' own types.
extension Speed: ExpressibleByArgument {}
extension RecordingFormat: ExpressibleByArgument {}
extension NetworkInput: ExpressibleByArgument {}
extension NetworkState: ExpressibleByArgument {}
extension IntegerType: ExpressibleByArgument {}
extension ClientConvention: ExpressibleByArgument {}
