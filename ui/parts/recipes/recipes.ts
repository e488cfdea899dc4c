// Recipes with their accounts, and the addresses of their pages.
import type { Answer } from '../../api/client.ts'
import { useRead } from '../../api/query.ts'
import { say } from '../../texts/say.ts'
import { serviceText } from '../../texts/service-text.ts'

export type Recipe = Answer<'GET /api/recipes'>['recipes'][number]
export type Candidate = Recipe['slots'][number]['accounts'][number]
type Suggestion = Recipe['suggestions'][number]

export function useRecipes() {
  return useRead(['recipes'], 'GET /api/recipes')
}

export const keyOf = ({ provider, instance }: Pick<Candidate, 'provider' | 'instance'>) => `${provider} ${instance}`

/** The title with the names of accounts: "Move from Attic to Cellar". */
export function recipeTitle(title: string, accounts: Readonly<Record<string, { readonly label: string }>>): string {
  const names = Object.entries(accounts).map(([slot, { label }]) => [slot, label])
  return say(serviceText(title) as '{name}', Object.fromEntries(names) as { name: string })
}

export function recipeHref({ id }: Recipe, { accounts }: Pick<Suggestion, 'accounts'>): string {
  const chosen = Object.entries(accounts).map(([slot, account]) => [slot, keyOf(account)])
  return `/recipes?${new URLSearchParams([['recipe', id], ...chosen]).toString()}`
}
