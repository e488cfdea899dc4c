// All recipes with suggestions, and those that were applied, with undo.
import { Button, Group, Paper, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { useState } from 'react'
import { useQueryClient } from '@tanstack/react-query'
import { Link } from 'wouter'
import { api, type Answer } from '../../api/client.ts'
import { confirm } from '../../parts/dialogs/confirm.ts'
import { notifyDone, notifyFailure } from '../../parts/dialogs/notify.ts'
import { recipeHref, recipeTitle, type Recipe } from '../../parts/recipes/recipes.ts'
import { TimeText } from '../../parts/values/time-text.tsx'
import { recipes as texts } from '../../texts/en/recipes.ts'
import { say } from '../../texts/say.ts'
import { serviceText } from '../../texts/service-text.ts'

type Applied = Answer<'GET /api/recipes'>['applied'][number]

export function RecipeList({
  recipes,
  applied,
}: {
  readonly recipes: readonly Recipe[]
  readonly applied: readonly Applied[]
}) {
  return (
    <Stack gap="lg">
      <SimpleGrid cols={{ base: 1, md: recipes.length }} component="ul" p={0} m={0} style={{ listStyle: 'none' }}>
        {recipes.map((recipe) => (
          <RecipeCard key={recipe.id} recipe={recipe} />
        ))}
      </SimpleGrid>
      {applied.length === 0 ? null : (
        <section aria-labelledby="applied-recipes">
          <Title order={2} size="h4" mb="sm" id="applied-recipes">
            {texts.applied.title}
          </Title>
          <Stack gap="xs" component="ul" p={0} m={0} style={{ listStyle: 'none' }}>
            {applied.map((one) => (
              <AppliedRow key={one.plan_id} applied={one} />
            ))}
          </Stack>
        </section>
      )}
    </Stack>
  )
}

function RecipeCard({ recipe }: { readonly recipe: Recipe }) {
  const name = serviceText(recipe.name)
  return (
    <Paper component="li" withBorder p="md" aria-label={name}>
      <Stack gap="sm" h="100%">
        <div>
          <Title order={2} size="h5">
            {name}
          </Title>
          <Text size="sm" c="dimmed" mt="2xs">
            {serviceText(recipe.text)}
          </Text>
        </div>
        <Stack gap="xs" mt="auto">
          {recipe.suggestions.map((suggestion) => (
            <Button
              key={recipeHref(recipe, suggestion)}
              component={Link}
              href={recipeHref(recipe, suggestion)}
              variant="default"
            >
              {recipeTitle(recipe.title, suggestion.accounts)}
            </Button>
          ))}
          <Button component={Link} href={recipeHref(recipe, { accounts: {} })} variant="subtle">
            {recipe.suggestions.length === 0 ? texts.choose : texts.others}
          </Button>
        </Stack>
      </Stack>
    </Paper>
  )
}

function AppliedRow({ applied }: { readonly applied: Applied }) {
  const client = useQueryClient()
  const [isBusy, setBusy] = useState(false)
  const name = recipeTitle(applied.title, applied.accounts)

  async function undo() {
    const { undoTitle, undoText, undo: action } = texts.applied
    if (!(await confirm({ title: say(undoTitle, { name }), text: undoText, action }))) return
    setBusy(true)
    try {
      const { left } = await api('POST /api/recipes/undo', { body: { plan_id: applied.plan_id } })
      const names = left.map(({ label }) => label).join(', ')
      notifyDone(left.length === 0 ? texts.applied.undone : say(texts.applied.left, { names }))
      await client.invalidateQueries()
    } catch (error) {
      notifyFailure(error)
    }
    setBusy(false)
  }

  return (
    <Paper component="li" withBorder p="sm" aria-label={name}>
      <Group justify="space-between" gap="sm">
        <div style={{ minWidth: 0, flex: '1 1 12rem' }}>
          <Text fw={600}>{name}</Text>
          <Text size="sm" c="dimmed" component="div">
            {texts.applied.states[applied.status]}
            {' · '}
            <TimeText at={applied.at * 1_000} />
            {applied.copying ? ` · ${texts.applied.copying}` : ''}
          </Text>
        </div>
        {applied.status === 'undone' ? null : (
          <Button variant="default" size="xs" loading={isBusy} onClick={() => void undo()}>
            {texts.applied.undo}
          </Button>
        )}
      </Group>
    </Paper>
  )
}
