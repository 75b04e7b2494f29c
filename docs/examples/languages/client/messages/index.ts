import { createTranslator, hasLocale } from 'use-intl/core'
import { notFound } from '@hull/shell/client'
import de from './de.json' with { type: 'json' }
import en from './en.json' with { type: 'json' }
import pl from './pl.json' with { type: 'json' }

/** First segments of the paths. The first language is the default. */
export const LANGUAGES = ['en', 'de', 'pl'] as const

export type Language = (typeof LANGUAGES)[number]

declare module 'use-intl' {
  interface AppConfig {
    Locale: Language
    Messages: typeof en
  }
}

/** A language without one of the messages is a type error. */
const MESSAGES: Record<Language, typeof en> = { en, de, pl }

/**
 * Returns the messages of a language. Only for `getData` and `getMeta`: a component that called it would bring all
 * languages into the browser. An unknown language is 404.
 */
export function readMessages(language: string) {
  if (!hasLocale(LANGUAGES, language)) notFound()
  return { language, messages: MESSAGES[language] }
}

/** Returns the translate function for `getMeta` or an action; a component calls `useTranslations`. */
export function translate<Namespace extends keyof typeof en>(lang: string, namespace: Namespace) {
  const { language: locale, messages } = readMessages(lang)
  return createTranslator({ locale, messages, namespace })
}
