// The flags of `npm start`, so that what is measured is what people run.
import { readFileSync } from 'node:fs'

const { scripts } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { scripts: { start: string } }

export const START_FLAGS: readonly string[] = scripts.start.split(' ').filter((word) => word.startsWith('--'))
