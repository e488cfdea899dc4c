// Recipes: the choice, one recipe with its accounts and its plan, then the first sync.
import { useLocation, useSearchParams } from 'wouter'
import { Absent } from '../../parts/page/absent.tsx'
import { Page } from '../../parts/page/page.tsx'
import { QueryView } from '../../parts/page/query-view.tsx'
import { recipeTitle, useRecipes, type Recipe } from '../../parts/recipes/recipes.ts'
import { recipes as texts } from '../../texts/en/recipes.ts'
import { serviceText } from '../../texts/service-text.ts'
import { PlanStep } from './plan.tsx'
import { OneRecipe } from './recipe.tsx'
import { RecipeList } from './recipe-list.tsx'
import { RunStep } from './run.tsx'
import { StepPanel } from './step-panel.tsx'
import { usePlace, type GoTo } from './steps.ts'

const BREADCRUMBS = [{ title: texts.title, href: '/recipes' }]

export function RecipesPage() {
  const query = useRecipes()
  const [place, goTo] = usePlace()
  const [search, setSearch] = useSearchParams()
  const [, navigate] = useLocation()
  const id = search.get('recipe')

  if (place.step === 'plan' || place.step === 'run') {
    const Step = place.step === 'plan' ? PlanStep : RunStep
    const go: GoTo = (next) => (next.step === 'choose' ? navigate(`/pairs/${place.pairId}`) : goTo(next))
    return (
      <Page title={texts.title} breadcrumbs={BREADCRUMBS}>
        <StepPanel step={place.step}>
          <Step place={place} goTo={go} />
        </StepPanel>
      </Page>
    )
  }
  if (id === null)
    return (
      <Page title={texts.title} text={texts.intro}>
        <QueryView query={query} rows={5}>
          {({ recipes, applied }) => <RecipeList recipes={recipes} applied={applied} />}
        </QueryView>
      </Page>
    )
  return (
    <QueryView query={query} rows={5}>
      {({ recipes }) => {
        const recipe = recipes.find((one) => one.id === id)
        if (recipe === undefined)
          return <Absent title={texts.title} text={texts.intro} to={texts.more} href="/recipes" />
        const chosen = chosenOf(recipe, search)
        return (
          <Page title={recipeTitle(recipe.title, chosen)} text={serviceText(recipe.text)} breadcrumbs={BREADCRUMBS}>
            <OneRecipe
              recipe={recipe}
              chosen={chosen}
              onChoose={(slot, key) =>
                setSearch((now) => new URLSearchParams({ ...Object.fromEntries(now), [slot]: key }), { replace: true })
              }
              onReview={(pairId, planRun) => goTo({ step: 'plan', pairId, planRun, runId: null })}
            />
          </Page>
        )
      }}
    </QueryView>
  )
}

/** The accounts of the address; for each other slot the first one that is not chosen yet. */
function chosenOf({ slots, suggestions }: Recipe, search: URLSearchParams) {
  const found: Record<string, Recipe['slots'][number]['accounts'][number]> = {}
  for (const { id, accounts } of slots) {
    const asked = accounts.find(({ provider, instance }) => `${provider} ${instance}` === search.get(id))
    const suggested = suggestions[0]?.accounts[id]
    const account =
      asked ?? suggested ?? accounts.find((one) => !Object.values(found).some((other) => other.label === one.label))
    if (account !== undefined) found[id] = account
  }
  return found
}
