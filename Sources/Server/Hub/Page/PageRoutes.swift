internal import Hummingbird
internal import Serving

/// The page for people: files of this program. What they show comes from the API, with the token that is entered there.
enum PageRoutes {
    static func add(to router: Router<HubContext>) {
        router.get("/") { _, _ in PageFile.response(PackageResources.index_html, "text/html; charset=utf-8") }
        router.get("/page.css") { _, _ in PageFile.response(PackageResources.page_css, "text/css; charset=utf-8") }
        router.get("/page.js") { _, _ in PageFile.response(PackageResources.page_js, "text/javascript; charset=utf-8") }
    }
}
