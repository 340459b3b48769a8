internal import Hummingbird
internal import Serving

/// The page: files of this program, without data of anybody.
enum PageRoutes {
    private static let scripts: [(String, [UInt8])] = [
        ("page.js", PackageResources.page_js), ("trace.js", PackageResources.trace_js), ("day.js", PackageResources.day_js),
        ("model.js", PackageResources.model_js), ("training.js", PackageResources.training_js),
    ]

    static func add(to router: Router<BasicRequestContext>) {
        router.get("/") { _, _ in PageFile.response(PackageResources.index_html, "text/html; charset=utf-8") }
        router.get("/page.css") { _, _ in PageFile.response(PackageResources.page_css, "text/css; charset=utf-8") }
        for (name, bytes) in scripts {
            router.get("/\(name)") { _, _ in PageFile.response(bytes, "text/javascript; charset=utf-8") }
        }
    }
}
