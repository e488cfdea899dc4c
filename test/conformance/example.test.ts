// The example that newcomers copy, checked by the conformance kit with the adapter in its own folder.
import { conforms } from './conforms.ts'

await conforms('example')
