package import Fleet
internal import HubProtocol
internal import ModelStore
package import Settings
package import Support
internal import Updates

/// What the settings say of releases of gaitway itself.
package struct ProgramPlan: Sendable {
    /// The hub's name of them.
    let name: String
    let source: any UpdateSource
    let checks: ModelChecks
    /// Looked at for each release: a package of gaitway's may have been installed since the service started.
    let machine: @Sendable () throws(Fault) -> ProgramMachine
    /// Seconds.
    let interval: Int, retry: Double, timeout: Double
    let quiet: QuietHours?
    /// Where the service leaves a release, and where the installer keeps what became of it.
    let folder: String, installed: String
    /// The number of the version that runs.
    let own: Int

    /// nil where the settings name no releases, or no hub is there.
    ///
    /// - Throws: `.configuration` where this gaitway came as no package, `.permission` without a trusted key, those of reading it.
    package init?(_ settings: Settings, hub client: FleetClient?) throws(Fault) {
        guard let name = settings.updates.program, settings.updates.enabled, let client else { return nil }
        let checks = try ModelChecks(settings)
        guard checks.keys != nil else { throw .untrustedProgram }
        _ = try ProgramMachine()
        self.init(
            name, HubUpdates(client, model: name, format: UploadedFile.program, timeout: Double(settings.updates.timeout)),
            checks, { () throws(Fault) in try ProgramMachine() }, settings.updates)
    }

    init(
        _ name: String, _ source: any UpdateSource, _ checks: ModelChecks,
        _ machine: @escaping @Sendable () throws(Fault) -> ProgramMachine, _ updates: SettingValues.Updates,
        folder: String = ProgramFolder.path, installed: String = ProgramState.directory, own: String = gaitwayVersion
    ) {
        (self.name, self.source, self.checks, self.machine, self.folder, self.installed) = (
            name, source, checks, machine, folder, installed
        )
        (interval, retry, timeout, quiet) = (updates.interval, Double(updates.retry), Double(updates.timeout), updates.quietHours)
        self.own = ProgramRelease.number(of: own) ?? 0
    }
}
