// tap has each process of a test read all that it loads a second time and look for source maps in it, for coverage and
// --changed. Nobody asks for these here, and it costs more than many a test. It takes no setting for that from .taprc,
// but has not begun yet when this runs, and leaves out every file. What a test starts is not to know of it: a service
// of a test is a process like any other.
process.env._TAPJS_PROCESSINFO_EXCLUDE_ = '/./'
delete process.env.NODE_OPTIONS
