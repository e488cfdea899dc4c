// slow: every check of the kit
import adapter from './adapters/jellyfin.ts'
import { conforms } from './conforms.ts'

await conforms('jellyfin', adapter)
