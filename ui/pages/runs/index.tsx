// Runs: the list, or one run.
import type { PageProps } from '../../app/page-props.ts'
import { RunList } from './list.tsx'
import { RunPage } from './run-page.tsx'

export default function Runs({ path, params }: PageProps) {
  return path === '/runs/:id' ? <RunPage key={params['id']} id={params['id'] as string} /> : <RunList />
}
