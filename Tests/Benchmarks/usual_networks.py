"""ONNX networks of usual sizes, on 128 samples of three axes, with weights of a fixed seed: an LSTM or a GRU whose last step is read, and
attention of four heads over all steps; the same quantised to 8 bits (QDQ)."""
import numpy as np
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static

STEPS, AXES, CLASSES = 128, 3, 6


class Graph:
    def __init__(self):
        self.random, self.nodes, self.weights = np.random.default_rng(7), [], []

    def constant(self, values):
        self.weights.append(numpy_helper.from_array(np.asarray(values), f"w{len(self.weights)}"))
        return self.weights[-1].name

    def weight(self, *shape):
        return self.constant((self.random.normal(size=shape) / np.sqrt(shape[-1])).astype(np.float32))

    def add(self, operator, *inputs, outputs=1, **attributes):
        """The last output's name."""
        names = [f"v{len(self.nodes)}_{i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(operator, list(inputs), names, **attributes))
        return names[-1]

    def save(self, last, width, path):
        """The classes of `last`, [1, width]."""
        self.nodes.append(helper.make_node("Gemm", [last, self.weight(width, CLASSES), self.weight(CLASSES)], ["y"]))
        shapes = {"x": [1, STEPS, AXES], "y": [1, CLASSES]}
        ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in shapes.items()]
        graph = helper.make_graph(self.nodes, "network", ends[:1], ends[1:], self.weights)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
        model.ir_version = 8
        path.write_bytes(model.SerializeToString())


def recurrent(operator, units, path):
    graph, gates = Graph(), {"LSTM": 4, "GRU": 3}[operator]
    steps = graph.add("Transpose", "x", perm=[1, 0, 2])
    weights = graph.weight(1, gates * units, AXES), graph.weight(1, gates * units, units), graph.weight(1, 2 * gates * units)
    attributes = {"linear_before_reset": 1} if operator == "GRU" else {}
    hidden = graph.add(operator, steps, *weights, outputs=2, hidden_size=units, **attributes)
    graph.save(graph.add("Reshape", hidden, graph.constant([1, units])), units, path)


def attention(width, path, heads=4):
    graph, each = Graph(), width // heads
    embedded = graph.add("MatMul", "x", graph.weight(AXES, width))

    def part(order):
        made = graph.add("MatMul", embedded, graph.weight(width, width))
        return graph.add("Transpose", graph.add("Reshape", made, graph.constant([1, STEPS, heads, each])), perm=order)

    query, key, value = part([0, 2, 1, 3]), part([0, 2, 3, 1]), part([0, 2, 1, 3])
    scores = graph.add("Mul", graph.add("MatMul", query, key), graph.constant(np.float32(each ** -0.5)))
    mixed = graph.add("MatMul", graph.add("Softmax", scores, axis=-1), value)
    joined = graph.add("Reshape", graph.add("Transpose", mixed, perm=[0, 2, 1, 3]), graph.constant([1, STEPS, width]))
    graph.save(graph.add("ReduceMean", graph.add("Add", joined, embedded), axes=[1], keepdims=0), width, path)


class Samples(CalibrationDataReader):
    def __init__(self):
        random = np.random.default_rng(5)
        self.rows = iter([{"x": random.normal(size=(1, STEPS, AXES)).astype(np.float32)} for _ in range(30)])

    def get_next(self):
        return next(self.rows, None)


def quantised(path, to):
    quantize_static(path, to, Samples(), quant_format=QuantFormat.QDQ, activation_type=QuantType.QInt8, weight_type=QuantType.QInt8)
