// `import EdgeML`, as programs written for its SDK have it.
@_exported public import Fleet
