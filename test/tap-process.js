// tap has each process of a test read all that it loads a second time and look for source maps in it, for coverage and
// --changed. Nothing here uses them, and it costs more than many a test. It takes no setting for that from .taprc, but
// has not begun yet when this runs, and leaves out every file. What a test starts must not know of it: a service of a
// test is a process like any other.
import asyncHooks from 'node:async_hooks'
import { syncBuiltinESMExports } from 'node:module'

process.env._TAPJS_PROCESSINFO_EXCLUDE_ = '/./'
delete process.env.NODE_OPTIONS

// tap follows every promise to name the subtest that an unhandled error came from: almost half of the processor time of
// a test of the sync. Without that such an error still fails its file, with its place.
const hook = { enable: () => hook, disable: () => hook }
asyncHooks.createHook = () => hook
syncBuiltinESMExports()
