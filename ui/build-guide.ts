// Builds the documentation into static files: docs/guide, docs/reference and docs/decisions, the architecture, the README of
// the SDK and the list of changes. Links are followed here, so that a broken one ends the build.
import { glob, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, extname, join, posix } from 'node:path'
import { Marked, type Token, type Tokens } from 'marked'
import { escapeHtml } from '../core/http/escape-html.ts'

const ROOT = join(import.meta.dirname, '..')
const GUIDE_PATH = '/guide'
/** Content types of files that pages link to. */
const TYPES: Readonly<Record<string, string>> = {
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.ts': 'text/plain; charset=utf-8',
  '.yml': 'text/plain; charset=utf-8',
}
/** Read by the search when it is opened. */
const INDEX = 'search.json'
/** Reasons of the developers, and what changed in a version. */
const UNSEARCHED = /^docs\/decisions\/|^CHANGELOG/
const HTML = 'text/html; charset=utf-8'

/** The order of pages in the guide. Pages that are not named here follow. */
const FIRST = [
  'docs/guide/README.md',
  'docs/guide/first-hour.md',
  'docs/guide/recipes.md',
  'docs/guide/services.md',
  'docs/guide/scrobbling.md',
  'docs/guide/imports.md',
  'docs/guide/backups.md',
  'docs/guide/when-a-tracker-goes-away.md',
  'docs/guide/reverse-proxy.md',
  'docs/guide/container.md',
  'docs/guide/scripts-and-dashboards.md',
]
const CHAPTERS = [
  ['Guide', /^docs\/guide\/[^/]+$/],
  ['Plugins', /^docs\/guide\/plugins\/|^sdk\//],
  ['Reference', /^docs\/(?:reference\/|architecture)/],
  ['Decisions', /^docs\/decisions\//],
  ['Changes', /^CHANGELOG/],
] as const

interface Page {
  /** Path in the repository. */
  readonly source: string
  /** Address in the service. */
  readonly address: string
  readonly title: string
  readonly tokens: readonly Token[]
  readonly anchors: ReadonlySet<string>
}

/** Pages with their headings: each heading is its text and its id. */
type GuideIndex = readonly {
  readonly title: string
  readonly address: string
  readonly headings: readonly (readonly [text: string, id: string])[]
}[]

interface GuideFile {
  /** Path below `ui/dist/guide`. */
  readonly file: string
  readonly type: string
}

type GuideFiles = Readonly<Record<string, GuideFile>>

/** @returns the files by address, `/guide/first-hour` */
export async function buildGuide(target: string, shell: string): Promise<GuideFiles> {
  const pages = await readPages()
  const files = new Map<string, GuideFile>()
  const contents = new Map<string, Buffer | string>()
  const linked = new Set<string>()
  for (const page of pages.values()) {
    const body = render(page, pages, linked)
    const file = `${page.address.slice(GUIDE_PATH.length + 1) || 'index'}.html`
    files.set(page.address, { file, type: HTML })
    contents.set(
      file,
      shell
        .replaceAll('{{title}}', () => escapeHtml(page.title))
        .replace('{{navigation}}', () => navigation(pages, page))
        .replace('{{content}}', () => body),
    )
  }
  files.set(`${GUIDE_PATH}/${INDEX}`, { file: INDEX, type: TYPES['.json'] as string })
  contents.set(INDEX, JSON.stringify(indexOf(pages)))
  for (const source of linked) {
    const file = source.replace(/^docs\/(?:guide\/)?/, '')
    const type = TYPES[extname(source)] ?? fail(source, 'is no file that the guide could show')
    files.set(`${GUIDE_PATH}/${file}`, { file, type })
    contents.set(file, await readFile(join(ROOT, source)))
  }
  await rm(target, { recursive: true, force: true })
  for (const [file, content] of contents) {
    await mkdir(dirname(join(target, file)), { recursive: true })
    await writeFile(join(target, file), content)
  }
  return Object.fromEntries(files)
}

/** The pages for a reader with their headings, for the search of the pages of the service. */
export async function readGuideIndex(): Promise<GuideIndex> {
  return indexOf(await readPages())
}

function indexOf(pages: ReadonlyMap<string, Page>): GuideIndex {
  return [...pages.values()]
    .filter(({ source }) => !UNSEARCHED.test(source))
    .map(({ title, address, tokens, anchors }) => {
      const headings = tokens.filter((token): token is Tokens.Heading => token.type === 'heading')
      const ids = [...anchors]
      return {
        title,
        address,
        headings: headings.flatMap(({ text, depth }, index): (readonly [string, string])[] =>
          depth === 1 ? [] : [[plain(text), ids[index] as string]],
        ),
      }
    })
}

async function readPages(): Promise<ReadonlyMap<string, Page>> {
  const found = await Array.fromAsync(glob('docs/{guide,reference,decisions}/**/*.md', { cwd: ROOT }))
  const sources = [...found, 'docs/architecture.md', 'sdk/README.md', 'CHANGELOG.md'].toSorted(
    (a, b) => rank(a) - rank(b) || (a < b ? -1 : 1),
  )
  const pages = new Map<string, Page>()
  for (const source of sources) {
    const tokens = new Marked().lexer(await readFile(join(ROOT, source), 'utf8'))
    const headings = tokens.filter((token): token is Tokens.Heading => token.type === 'heading')
    const title = plain(headings[0]?.text ?? fail(source, 'has no heading'))
    pages.set(source, {
      source,
      address: addressOf(source),
      title,
      tokens,
      anchors: new Set(idsOf(headings.map(({ text }) => text))),
    })
  }
  return pages
}

function rank(source: string): number {
  const index = FIRST.indexOf(source)
  return index === -1 ? FIRST.length : index
}

function addressOf(source: string): string {
  const path = source
    .replace(/^docs\/(?:guide\/)?/, '')
    .replace(/\.md$/, '')
    .replace(/(?:^|\/)README$/, '')
    .toLowerCase()
  return path === '' ? GUIDE_PATH : `${GUIDE_PATH}/${path}`
}

function render(page: Page, pages: ReadonlyMap<string, Page>, linked: Set<string>): string {
  const ids = idsOf(page.tokens.filter(({ type }) => type === 'heading').map((token) => (token as Tokens.Heading).text))
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth }) {
        return `<h${depth} id="${ids.shift()}">${this.parser.parseInline(tokens)}</h${depth}>\n`
      },
      link({ href, tokens }) {
        return `<a href="${escapeHtml(resolve(href, page, pages, linked))}">${this.parser.parseInline(tokens)}</a>`
      },
      image({ href, text }) {
        return `<img src="${escapeHtml(resolve(href, page, pages, linked))}" alt="${escapeHtml(text)}" loading="lazy">`
      },
      // A wide table scrolls by itself, also with the keyboard.
      table(token) {
        const cells = (row: readonly Tokens.TableCell[], name: string) =>
          row.map((cell) => `<${name}>${this.parser.parseInline(cell.tokens)}</${name}>`).join('')
        const rows = token.rows.map((row) => `<tr>${cells(row, 'td')}</tr>`).join('\n')
        return `<div class="wide" tabindex="0" role="region" aria-label="Table"><table>\n<thead><tr>${cells(token.header, 'th')}</tr></thead>\n<tbody>${rows}</tbody></table></div>\n`
      },
      code: ({ text }) => `<pre tabindex="0"><code>${escapeHtml(text)}</code></pre>\n`,
      // Placeholders such as <service> are text, not HTML.
      html: ({ text }) => escapeHtml(text),
    },
  })
  return marked.parser([...page.tokens])
}

/** The address of a link, which must lead to a page, a heading or a file. */
function resolve(href: string, page: Page, pages: ReadonlyMap<string, Page>, linked: Set<string>): string {
  if (/^https?:\/\//.test(href)) return href
  // An address of the service, not a file of the documentation.
  if (href.startsWith('/')) return href
  const [path = '', anchor] = href.split('#') as [string, string?]
  const source = path === '' ? page.source : posix.join(posix.dirname(page.source), path)
  const target = pages.get(source)
  if (target === undefined) {
    if (source.startsWith('..') || extname(source) === '.md') fail(page.source, `links to ${href}, which is no page`)
    linked.add(source)
    return `${GUIDE_PATH}/${source.replace(/^docs\/(?:guide\/)?/, '')}`
  }
  if (anchor !== undefined && !target.anchors.has(anchor))
    fail(page.source, `links to ${href}, which has no such heading`)
  return (path === '' ? '' : target.address) + (anchor === undefined ? '' : `#${anchor}`)
}

function navigation(pages: ReadonlyMap<string, Page>, current: Page): string {
  return CHAPTERS.map(([name, belongs]) => {
    const links = [...pages.values()]
      .filter(({ source }) => belongs.test(source))
      .map(({ address, title }) => {
        const here = address === current.address ? ' aria-current="page"' : ''
        return `<li><a href="${address}"${here}>${escapeHtml(title)}</a></li>`
      })
    return `<h2>${name}</h2>\n<ul>\n${links.join('\n')}\n</ul>`
  }).join('\n')
}

/** As code hosts do: lower case, spaces become hyphens, repeated ids get a number. */
function idsOf(headings: readonly string[]): string[] {
  const seen = new Map<string, number>()
  return headings.map((heading) => {
    const id = plain(heading)
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(/\s/g, '-')
    const count = seen.get(id) ?? 0
    seen.set(id, count + 1)
    return count === 0 ? id : `${id}-${count}`
  })
}

function plain(markdown: string): string {
  return markdown.replaceAll(/`|\*\*/g, '').replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
}

function fail(source: string, problem: string): never {
  throw new Error(`${source} ${problem}.`)
}
