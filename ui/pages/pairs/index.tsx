// Pairs: the list, a new pair, one pair, or one plan.
import type { PageProps } from '../../app/page-props.ts'
import { NewPairPage } from './new-pair-page.tsx'
import { PairListPage } from './list-page.tsx'
import { PairPage } from './pair-page.tsx'
import { PlanPage } from './plan-page.tsx'

export default function Area({ path, params }: PageProps) {
  const id = params['id'] ?? ''
  if (path === '/plans/:id') return <PlanPage id={id} />
  if (path === '/pairs/new') return <NewPairPage />
  return path === '/pairs/:id' ? <PairPage id={id} /> : <PairListPage />
}
