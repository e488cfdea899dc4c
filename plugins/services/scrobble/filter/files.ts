// Filters by path, file name and edition. Unknown values match nothing.
import type { PlayFiles } from '@playhead/sdk'
import { foldCase } from '@playhead/sdk/items'
import type { Filters } from '../contract.ts'
import { markerNames } from './markers.ts'

const TRAILER_MARK = '{edition-trailer}'
const TRAILER_EDITION = 'trailer'

type FileFilters = Pick<
  Filters,
  | 'ignored_path_prefixes'
  | 'ignored_filename_patterns'
  | 'ignored_editions'
  | 'ignored_marker_files'
  | 'ignore_placeholder_trailers'
>

/**
 * `path_prefix:<x>`, `filename_pattern:<x>`, `edition:<x>` or `marker_file:<x>`, in this order; undefined if nothing
 * matches.
 *
 * @param markers marker files beside the files
 */
export function fileReason(
  { paths, editions }: PlayFiles,
  filters: FileFilters,
  markers: readonly string[] = [],
): string | undefined {
  const files = paths.map(pathKey)
  const prefix = filters.ignored_path_prefixes.find((one) => files.some((file) => isBelow(file, pathKey(one))))
  if (prefix !== undefined) return `path_prefix:${prefix}`

  const patterns = [
    ...filters.ignored_filename_patterns,
    ...(filters.ignore_placeholder_trailers ? [TRAILER_MARK] : []),
  ]
  const pattern = patterns.find((one) => contains(files, textKey(one).replaceAll('\\', '/')))
  if (pattern !== undefined) return `filename_pattern:${pattern}`

  const titles = new Set(editions.map(textKey))
  const ignored = [...filters.ignored_editions, ...(filters.ignore_placeholder_trailers ? [TRAILER_EDITION] : [])]
  const edition = ignored.find((one) => textKey(one) !== '' && titles.has(textKey(one)))
  if (edition !== undefined) return `edition:${edition}`

  const marker = markerNames([{ filters }]).find((one) => markers.includes(one))
  return marker === undefined ? undefined : `marker_file:${marker}`
}

/** Without case, with single slashes, without `.`, `..` and a slash at the end. */
export function pathKey(path: string): string {
  const text = foldCase(path).replaceAll('\\', '/')
  const parts: string[] = []
  for (const part of text.split('/')) {
    if (part === '..') parts.pop()
    else if (part !== '' && part !== '.') parts.push(part)
  }
  return `${text.startsWith('/') ? '/' : ''}${parts.join('/')}`
}

function isBelow(file: string, prefix: string): boolean {
  if (prefix === '') return false
  return file === prefix || file.startsWith(prefix.endsWith('/') ? prefix : `${prefix}/`)
}

function contains(files: readonly string[], pattern: string): boolean {
  return pattern !== '' && files.some((file) => file.includes(pattern))
}

function textKey(text: string): string {
  return foldCase(text.trim())
}
