/** The parts of ESTree that the rule looks at. */
interface ExportNode {
  readonly type: string;
  readonly declaration?: { readonly declarations?: readonly unknown[] } | null;
  readonly specifiers?: readonly unknown[];
  readonly source?: unknown;
}

interface ProgramNode {
  readonly body: readonly ExportNode[];
}

interface RuleContext {
  readonly options: readonly { readonly max: number }[];
  report(problem: { readonly node: unknown; readonly message: string }): void;
}

const DEFAULT_MAX = 8;

// A registry's line hands on what another file exports: it grows by entity, not by concept.
const isRegistryLine = ({ type, source }: ExportNode): boolean => type === 'ExportNamedDeclaration' && Boolean(source);

function countExports(node: ExportNode): number {
  if (isRegistryLine(node)) return 0;
  if (node.type === 'ExportDefaultDeclaration' || node.type === 'ExportAllDeclaration') return 1;
  if (node.type !== 'ExportNamedDeclaration') return 0;
  if (!node.declaration) return node.specifiers?.length ?? 0;
  return node.declaration.declarations?.length ?? 1;
}

const maxExports = {
  meta: { type: 'suggestion', schema: [{ type: 'object', properties: { max: { type: 'integer' } } }] },
  create(context: RuleContext) {
    const max = context.options[0]?.max ?? DEFAULT_MAX;
    return {
      Program(program: ProgramNode): void {
        const exported = program.body.filter((node) => countExports(node) > 0);
        const count = exported.reduce((sum, node) => sum + countExports(node), 0);
        if (count > max) context.report({ node: exported.at(-1), message: `${count} exports; a file has at most ${max}. Split it by concept.` });
      },
    };
  },
};

/** The house's own lint rules, loaded by oxlint through `jsPlugins`. */
export default { meta: { name: 'house' }, rules: { 'max-exports': maxExports } };
