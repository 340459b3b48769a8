// `import EdgeML`, as programs written for its SDK have it, with the whole client beside the SDK's names.
@_exported public import Fleet
@_exported public import HubProtocol
