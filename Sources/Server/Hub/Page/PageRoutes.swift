internal import Hummingbird
internal import Serving

/// The page for people: files of this program. What they show comes from the API, with the token that is entered there.
enum PageRoutes {
    static func add(to router: Router<HubContext>) {
        router.add("/", PackageResources.index_html, "text/html; charset=utf-8")
        router.add("/page.css", PackageResources.page_css, "text/css; charset=utf-8")
        for (name, script) in [
            ("page", PackageResources.page_js), ("boards", PackageResources.boards_js), ("board", PackageResources.board_js),
            ("charts", PackageResources.charts_js), ("models", PackageResources.models_js), ("rollouts", PackageResources.rollouts_js),
            ("crowd", PackageResources.crowd_js),
        ] { router.add("/\(name).js", script, "text/javascript; charset=utf-8") }
    }
}
