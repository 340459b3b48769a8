// `import SwiftyForesight` brings what its calls take besides: where models come from, and how AWS is reached.
@_exported public import ObjectStores
@_exported public import Updates
