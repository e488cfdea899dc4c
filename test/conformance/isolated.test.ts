// A provider on a thread of its own conforms as it does in the service's thread.
import adapter from './adapters/mdblist.ts'
import { conforms } from './conforms.ts'

await conforms('mdblist', adapter, { isolated: true })
