// slow: every check of the kit
// The template that newcomers start from, checked by the conformance kit with the adapter in its own folder.
import { conforms } from './conforms.ts'

await conforms('sdk/templates/provider')
