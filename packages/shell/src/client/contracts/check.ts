import type { ComponentType } from 'react'
import type { ActionCtx, Ctx, DataOf, EnterCtx, MetaCtx } from './context.ts'
import type { CachePolicy, LayoutModule, LayoutProps, PageModule, PageProps } from './page.ts'
import type { Meta } from './meta.ts'

/*
 * A file that the build writes instantiates these types once per page. If a module breaks the contract, it does not
 * satisfy the constraint, and the type checker names the file.
 */

type ExportOf<Module, Name extends string> = Module extends Record<Name, infer Export> ? Export : undefined

/** Exports whose types are the same for every page, and for every layout. */
type Flags = Omit<PageModule, 'default' | 'guard' | 'getData' | 'getMeta' | 'onEnter' | 'action' | 'cache'>
type LayoutFlags = Omit<LayoutModule, 'default' | 'guard' | 'getData' | 'getMeta'>

/** Type without the members that a value has in addition: TypeScript accepts them in all but literals. */
type Exact<Known, Value> = Known & { [Key in UnknownKeys<Known, Value>]?: never }

/** A value with an index signature, and `any`, have no names to check. */
type UnknownKeys<Known, Value> = Value extends unknown
  ? string extends keyof Value
    ? never
    : Exclude<keyof Value, keyof Known>
  : never

type ExactMeta<Module> = Exact<Meta, DataOf<ExportOf<Module, 'getMeta'>>>

interface PageContract<Path extends string, Module> extends Flags {
  default: ComponentType<PageProps<ExportOf<Module, 'getData'>, ExportOf<Module, 'action'>>>
  guard?: (ctx: Ctx<Path>) => unknown
  getData?: (ctx: Ctx<Path>) => unknown
  getMeta?: (ctx: MetaCtx<ExportOf<Module, 'getData'>, Path>) => ExactMeta<Module> | Promise<ExactMeta<Module>>
  onEnter?: (ctx: EnterCtx<ExportOf<Module, 'getData'>, Path>) => unknown
  action?: (ctx: ActionCtx<Path>) => unknown
  cache?: Exact<CachePolicy, ExportOf<Module, 'cache'>>
}

interface LayoutContract<Module> extends LayoutFlags {
  default: ComponentType<LayoutProps<ExportOf<Module, 'getData'>>>
  guard?: (ctx: Ctx) => unknown
  getData?: (ctx: Ctx) => unknown
  getMeta?: (ctx: Ctx) => ExactMeta<Module> | Promise<ExactMeta<Module>>
}

export type CheckPage<Path extends string, Module extends PageContract<Path, Module>> = [Path, Module]
export type CheckLayout<Module extends LayoutContract<Module>> = Module
