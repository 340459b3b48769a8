internal import HubStore
internal import Hummingbird

extension HubServices {
    /// The experiment that the path names.
    ///
    /// - Throws: 404.
    func experiment(_ context: HubContext) async throws -> Experiment {
        let id = try context.parameter("experiment")
        guard let experiment = try await store.experiment(id, org: try context.session().org) else {
            throw APIError.missing("not_found", "there is no such experiment")
        }
        return experiment
    }

    /// What the authors of its versions call them, by number.
    func shown(_ experiment: Experiment, org: String) async throws -> [Int: String] {
        guard let model = try await store.model(experiment.model, org: org) else { return [:] }
        var names: [Int: String] = [:]
        for variant in experiment.variants {
            names[variant.version] = try await store.version(variant.version, of: model)?.shown ?? "\(variant.version)"
        }
        return names
    }
}
