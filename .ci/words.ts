// A lint of words: `node .ci/words.ts [path ...]` lists phrases in comments, documentation, English texts and test names
// that are hard to read, each with a better form. The English texts of plugins and of the core are the keys of their German
// ones. The code itself and generated files are not checked.
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'

type Kind = 'comment' | 'document' | 'text' | 'test name'

interface Pattern {
  readonly found: RegExp
  readonly better: string
  /** Default: everywhere. */
  readonly kinds?: readonly Kind[]
}

export interface Finding {
  readonly line: number
  readonly found: string
  readonly better: string
}

const ROOT = join(import.meta.dirname, '..')
const START = String.raw`(?:(?<=^\s*|[.:!?;]\s+|@returns\s+|@param \w+\s+))`
const PATTERNS: readonly Pattern[] = [
  {
    found: /\b(?:told|tells?)\b(?! (?:\S+ ){0,5}?(?:apart|from)\b)/gi,
    better: 'says, reports, notifies, returns, passes',
  },
  { found: /\b(?:whoever|whomever|nobody|somebody)\b/gi, better: 'the actor: the caller, a person, no client' },
  { found: /\b(?:anew|once more|over again)\b/gi, better: 'again' },
  { found: /\bwhatever\b/gi, better: 'any, all, regardless of', kinds: ['comment', 'document', 'text'] },
  {
    found: new RegExp(
      String.raw`${START}What (?:the|a|an|is|was|are|were|has|had|goes|comes|came|stands|waits|follows|ends|ended|needs|fails|stays|remains)\b(?![^.!]*\?)`,
      'g',
    ),
    better: 'a noun as the subject',
    kinds: ['comment'],
  },
  {
    found: /\b(?:go|goes|went|gone) on\b(?! (?:and|the|a|to)\b)/gi,
    better: 'continue, last',
    kinds: ['comment', 'document', 'text'],
  },
  { found: /\b(?:go|goes|going|went) away\b/gi, better: 'end, close, be removed' },
  { found: /\bnothing of (?:it|this|that|them|these|those)\b/gi, better: 'none of it; no X' },
  { found: /\bno business of\b|\bof the others? (?:is|are|was|were)\b/gi, better: 'the noun again' },
  { found: /\bthe ones? (?:that|which) (?:is|was|are|were|has|had)\b|\bthat which\b/gi, better: 'the noun again' },
  { found: /\bas (?:well|long|far|good|soon) as it can\b/gi, better: 'a limit or a condition' },
  { found: /\b(?:is|are|was|were) no more\b(?! than\b)/gi, better: 'no longer exists' },
  {
    found: /(?<!\bthere )\b(?:is|are|was|were) no (?!longer\b|more\b|later\b|newer\b|older\b|less\b)\w+/gi,
    better: 'is not a',
    kinds: ['comment'],
  },
  { found: new RegExp(String.raw`${START}Whose act\b`, 'g'), better: 'who caused', kinds: ['comment'] },
  { found: /(?<!\bnone )\bof (?:one's|your|its|their) own\b(?! \w)/gi, better: 'your own, its own', kinds: ['text'] },
  {
    found: /(?<!\b[Tt]here )\b(?:is|are) no (?!longer\b|more\b|later\b|newer\b|older\b|less\b)\w+/g,
    better: 'is not a',
    kinds: ['text'],
  },
  { found: /\bthere is no such\b/gi, better: 'This X does not exist.', kinds: ['text'] },
  { found: /\b(?:any more|no more than)\b/gi, better: 'no longer, at most', kinds: ['text'] },
  {
    found: /\b(?:is|are|was|were|nothing is|something is) going on\b/gi,
    better: 'in progress, in use',
    kinds: ['text'],
  },
  {
    found: /\b(?:does not fit|asks? to wait|by itself|in part)\b/gi,
    better: 'is not valid, limits requests, automatically, partly',
    kinds: ['text'],
  },
  { found: /(?:^|[.;] )(?:Empty|0): /g, better: 'Leave empty to …, 0 means …', kinds: ['text'] },
  { found: /; (?:empty|the (?:log|detail) says|0)\b/gi, better: 'a sentence of its own', kinds: ['text'] },
  { found: /\([^)]*(?:%|\bms\b)\)/g, better: 'the unit in words: (percent), (milliseconds)', kinds: ['text'] },
  {
    found: /\b(?:peer|on the other side|both sides|one side)\b/gi,
    better: 'the other service or account',
    kinds: ['text'],
  },
  { found: /(?<![{<])\b(?:Id|Ids|id|ids)\b(?![:_>}])/g, better: 'ID, IDs', kinds: ['text'] },
  { found: /\bfilms?\b/gi, better: 'movie', kinds: ['text'] },
  { found: /\b(?:Http|Https|Url)\b/g, better: 'HTTP, HTTPS, URL', kinds: ['text'] },
  {
    found:
      /\b\w*(?:colour|favourite|behaviour|neighbour|honour|licence|catalogue|programme|centre|judgement|labelled|modelling)\w*|\bgrey\b|\banalyse\w*|\b(?:synchron|organ|optim|minim|maxim|normal|recogn|initial)is(?:e|es|ed|ing)\b/gi,
    better: 'the American spelling',
    kinds: ['document', 'text'],
  },
]

const SKIPPED = new Set(['node_modules', 'dist', 'fixtures', '.git', '.tap', 'descriptions', 'data'])
const FOLDERS = ['.ci', '.githooks', 'core', 'docs', 'plugins', 'sdk', 'test', 'ui']
const DOCUMENTS = ['README.md', 'CONTRIBUTING.md']
/** Written by `generate:*` scripts. */
const GENERATED = new Set(['sdk/client/schema.ts', 'sdk/api.md', 'docs/reference/fields.md'])

/** A text that begins at the line `first`. */
interface Block {
  readonly kind: Kind
  readonly text: string
  readonly first: number
}

/** @param path relative to the repository; it decides what counts as text */
export function findings(path: string, source: string): readonly Finding[] {
  const blocks = path.endsWith('.md')
    ? documentBlocks(source)
    : [
        ...commentBlocks(source),
        ...(path.startsWith('ui/texts/en/') && path !== VOCABULARY
          ? literals(source, 'text', /(['"`])((?:\\.|(?!\1).)*)\1/g)
          : []),
        ...(isTranslated(path) ? literals(source, 'text', /^ *(['"])((?:\\.|(?!\1).)*)\1:/gm) : []),
        ...(/\.test\.tsx?$/.test(path) ? literals(source, 'test name', TEST_NAME) : []),
      ]
  return blocks.flatMap(findingsOf).toSorted((a, b) => a.line - b.line)
}

/** Words that people type into the search, in any spelling. */
const VOCABULARY = 'ui/texts/en/search.ts'

/** German texts by their English ones. */
const isTranslated = (path: string) => /\/texts\/de\.json$/.test(path) || path === 'ui/texts/de/service.ts'

/** The second group is the name. */
const TEST_NAME = /\b(?:test|it|describe|check)\(\s*(['"`])((?:\\.|(?!\1).)*)\1/g

function findingsOf({ kind, text, first }: Block): Finding[] {
  return PATTERNS.filter(({ kinds }) => kinds === undefined || kinds.includes(kind)).flatMap(({ found, better }) =>
    [...text.matchAll(acrossLines(found))].map((match) => ({
      line: first + lineBreaks(text.slice(0, match.index)),
      found: match[0].replace(/\s+/g, ' '),
      better,
    })),
  )
}

const acrossLines = (pattern: RegExp) => new RegExp(pattern.source.replaceAll(' ', String.raw`\s+`), pattern.flags)

/** Adjacent comment lines are one block, so that a phrase may break at the end of a line. */
function commentBlocks(source: string): Block[] {
  const blocks: Block[] = []
  let block: string[] = []
  let inside = false
  const lines = source.split('\n')
  for (const [index, line] of [...lines, ''].entries()) {
    const comment =
      inside || /^\s*(?:\/\/|\/\*|\{\/\*)/.test(line) ? line : line.match(/\s(\/\/ .*|\/\*\*? .*\*\/)/)?.[1]
    if (comment === undefined || /^\s*\/\*/.test(line)) {
      if (block.length > 0) blocks.push({ kind: 'comment', text: block.join('\n'), first: index + 1 - block.length })
      block = []
    }
    if (comment === undefined) continue
    block.push(withoutCode(comment.replace(/^\s*(?:\{?\/\*\*?|\/\/|\*(?!\/))|\*\/.*$/g, '')))
    if (inside) inside = !line.includes('*/')
    else inside = /^\s*\{?\/\*/.test(line) && !line.includes('*/')
  }
  return blocks
}

/** Paragraphs and lists, without code. */
function documentBlocks(source: string): Block[] {
  const text = source.replace(/^```[\s\S]*?^```/gm, (code) => code.replace(/.+/g, ''))
  return [...text.matchAll(/(?:.+\n?)+/g)].map((match) => ({
    kind: 'document',
    text: withoutCode(match[0]),
    first: 1 + lineBreaks(text.slice(0, match.index)),
  }))
}

function literals(source: string, kind: Kind, pattern: RegExp): Block[] {
  return [...source.matchAll(pattern)].map((match) => ({
    kind,
    text: match[2] ?? '',
    first: 1 + lineBreaks(source.slice(0, match.index)),
  }))
}

/** Names in backquotes and link targets are not prose. */
const withoutCode = (text: string) => text.replace(/`[^`\n]*`/g, '`').replace(/\]\([^)\n]*\)/g, ']')

const lineBreaks = (text: string) => text.split('\n').length - 1

function* filesIn(path: string): Generator<string> {
  if (!statSync(path).isDirectory()) yield path
  else
    for (const entry of readdirSync(path, { withFileTypes: true })) {
      if (SKIPPED.has(entry.name)) continue
      const child = join(path, entry.name)
      if (entry.isDirectory()) yield* filesIn(child)
      else if (/\.(?:tsx?|js|md)$|^de\.json$/.test(entry.name)) yield child
    }
}

const isChecked = (path: string) =>
  !GENERATED.has(path) && (!path.endsWith('.md') || /^docs\/|(?:^|\/)(?:README|CONTRIBUTING)\.md$/.test(path))

if (import.meta.main) {
  const given = process.argv.slice(2)
  const roots =
    given.length > 0
      ? given.map((path) => join(process.cwd(), path))
      : [...FOLDERS, ...DOCUMENTS].map((path) => join(ROOT, path))
  for (const file of roots.flatMap((root) => [...filesIn(root)])) {
    const path = relative(ROOT, file).replaceAll('\\', '/')
    if (!isChecked(path)) continue
    for (const { line, found, better } of findings(path, readFileSync(file, 'utf8'))) {
      process.stdout.write(`${path}:${line}: "${found}" -> ${better}\n`)
      process.exitCode = 1
    }
  }
}
