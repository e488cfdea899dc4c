// slow: every check of the kit
// AniList, checked by the conformance kit.
import adapter from './adapters/anilist.ts'
import { conforms } from './conforms.ts'

await conforms('anilist', adapter)
