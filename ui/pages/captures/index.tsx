// Captures: calendar and list, one capture, a comparison, and the restore.
import { useSearch } from 'wouter'
import type { PageProps } from '../../app/page-props.ts'
import { ComparePage } from './compare-page.tsx'
import { ListPage } from './list-page.tsx'
import { RestorePage } from './restore-page.tsx'
import { ViewPage } from './view-page.tsx'

/** Paths of captures contain slashes, so they are parameters. */
export default function Captures({ path }: PageProps) {
  const search = new URLSearchParams(useSearch())
  const of = (name: string) => search.get(name) ?? ''
  if (path === '/captures/view') return <ViewPage key={of('path')} path={of('path')} />
  if (path === '/captures/restore') return <RestorePage key={of('path')} path={of('path')} />
  if (path === '/captures/compare') return <ComparePage a={of('a')} b={of('b')} />
  return <ListPage />
}
