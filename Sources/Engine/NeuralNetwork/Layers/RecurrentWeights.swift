/// A uni-directional LSTM; every position of its input is one step.
package struct LSTM: Sendable, Equatable {
    /// Rows of the gates input, forget, modulation, output, one after the other, from the input; with the biases.
    package var weights: Weights
    /// The same from the hidden state; its biases are zero.
    package var recurrent: Weights
    /// Of the int16 cell, 8 ... 15.
    package var cellFraction: Int
    /// Limit of the cell's integers; 0: none.
    package var cellClip: Int
    /// 2^-30 / output scale.
    package var multiplier: Multiplier

    package init(weights: Weights, recurrent: Weights, cellFraction: Int, cellClip: Int = 0, multiplier: Multiplier) {
        self.weights = weights
        self.recurrent = recurrent
        self.cellFraction = cellFraction
        self.cellClip = cellClip
        self.multiplier = multiplier
    }

    package var units: Int { recurrent.inputs }
}

/// A GRU; every position of its input is one step.
package struct GRU: Sendable, Equatable {
    /// Rows of update, reset and candidate, one after the other, from the input; with the biases.
    package var weights: Weights
    /// The same from the hidden state; its biases are zero, but for the candidate's with `resetAfter`.
    package var recurrent: Weights
    /// 2^-30 / output scale.
    package var multiplier: Multiplier
    /// The reset gate multiplies what the recurrent weights give (PyTorch, Keras), instead of the hidden state before them (Core ML).
    package var resetAfter: Bool

    package init(weights: Weights, recurrent: Weights, multiplier: Multiplier, resetAfter: Bool = false) {
        self.weights = weights
        self.recurrent = recurrent
        self.multiplier = multiplier
        self.resetAfter = resetAfter
    }
}
