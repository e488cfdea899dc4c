// The version of this build, from package.json.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './installation.ts'

export const VERSION: string = (JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string })
  .version
