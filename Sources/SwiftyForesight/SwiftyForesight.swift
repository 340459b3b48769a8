// `import SwiftyForesight`, as programs written for it have it.
@_exported public import Cloud
@_exported public import Models
@_exported public import Upload
