// The first titles of what a plan removes, for the question that comes before.
import { api } from '../../api/client.ts'
import { toQuery, NO_FILTER, type Filter, type Plan } from './kinds.ts'

const NAMED = 30

export async function removalNames({ plan_id }: Pick<Plan, 'plan_id'>, filter: Partial<Filter>): Promise<string[]> {
  const { items } = await api('GET /api/run/plan/{plan_id}', {
    params: { plan_id },
    query: { ...toQuery({ ...NO_FILTER, kind: 'remove', ...filter }), facets: false, limit: NAMED },
  })
  return [...new Set(items.map(({ display_title: title }) => title))]
}
