internal import Hummingbird
internal import Serving

/// The page: files of this program, without data of anybody.
enum PageRoutes {
    private static let scripts: [(String, [UInt8])] = [
        ("page.js", PackageResources.page_js), ("trace.js", PackageResources.trace_js), ("day.js", PackageResources.day_js),
        ("model.js", PackageResources.model_js), ("privacy.js", PackageResources.privacy_js), ("training.js", PackageResources.training_js),
    ]

    static func add(to router: Router<DashboardContext>) {
        router.add("/", PackageResources.index_html, "text/html; charset=utf-8")
        router.add("/page.css", PackageResources.page_css, "text/css; charset=utf-8")
        for (name, bytes) in scripts { router.add("/\(name)", bytes, "text/javascript; charset=utf-8") }
    }
}
