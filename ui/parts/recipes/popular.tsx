// The recipes that most people begin with, as links.
import { Anchor, Button, Group, Text } from '@mantine/core'
import { Link } from 'wouter'
import { recipes as texts } from '../../texts/en/recipes.ts'
import { recipeHref, recipeTitle, type Recipe } from './recipes.ts'

/** Suggestions of each recipe, in order. */
const SHOWN = [3, 3, 1]

/** Renders nothing without a suggestion. */
export function PopularRecipes({ recipes }: { readonly recipes: readonly Recipe[] }) {
  const all = recipes.flatMap((recipe, n) =>
    recipe.suggestions.slice(0, SHOWN[n] ?? 1).map((suggestion) => ({ recipe, suggestion })),
  )
  if (all.length === 0) return null
  return (
    <section aria-labelledby="popular-recipes">
      <Text id="popular-recipes" fw={600} size="sm" mb="xs">
        {texts.popular}
      </Text>
      <Group gap="xs">
        {all.map(({ recipe, suggestion }) => (
          <Button
            key={recipeHref(recipe, suggestion)}
            component={Link}
            href={recipeHref(recipe, suggestion)}
            variant="default"
            size="sm"
            maw="100%"
          >
            {recipeTitle(recipe.title, suggestion.accounts)}
          </Button>
        ))}
        <Anchor component={Link} href="/recipes" size="sm">
          {texts.more}
        </Anchor>
      </Group>
    </section>
  )
}
