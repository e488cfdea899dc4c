// slow: every check of the kit
// A provider on its own thread conforms as it does in the service's thread, with fewer rows: the same test without a thread
// reads many. PLAYHEAD_TEST_PART=1 reads as many here.
import adapter from './adapters/mdblist.ts'
import { conforms } from './conforms.ts'

const isWhole = process.env['PLAYHEAD_TEST_PART'] === '1'

await conforms('mdblist', adapter, { isolated: true, ...(isWhole ? {} : { items: 300 }) })
