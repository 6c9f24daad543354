import ts from 'typescript';

/** A part of a pipeline's file that its author decides on: its name, where it begins (line from 1), and its code without layout. */
export interface Part {
  readonly name: string;
  readonly line: number;
  readonly code: string;
}

const DEFINING = ['definePipeline', 'createPipelineActivities'];

const withoutLayout = (code: string): string => code.replaceAll(/\s+/g, '').replaceAll(/,(?=[)\]}]|$)/g, '');

const nameOfCall = (node: ts.Node): string => (ts.isCallExpression(node) && ts.isIdentifier(node.expression) ? node.expression.text : '');

const partsOfCall = (call: ts.CallExpression): [string, ts.Node][] => {
  const [title] = call.arguments;
  if (nameOfCall(call) === 'test' && title !== undefined && ts.isStringLiteralLike(title)) return [[`test "${title.text}"`, call]];
  if (!DEFINING.includes(nameOfCall(call))) return [];
  const members = call.arguments.filter(ts.isObjectLiteralExpression).flatMap(({ properties }) => [...properties]);
  return members.flatMap((member): [string, ts.Node][] => (member.name === undefined ? [] : [[member.name.getText(), member]]));
};

const partsOfStatement = (statement: ts.Node): [string, ts.Node][] => {
  if (!ts.isVariableStatement(statement)) return [];
  const [declared] = statement.declarationList.declarations;
  const name = declared?.name.getText() ?? '';
  const isExported = statement.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) === true;
  const [comment] = ts.getJSDocCommentsAndTags(statement);
  if (isExported) return comment === undefined ? [] : [[`comment of ${name}`, comment]];
  return declared?.initializer !== undefined && ts.isArrowFunction(declared.initializer) ? [[name, statement]] : [];
};

/** The parts of one file, in their order: members of the contract and of the definition, helper functions, comments of exports, tests. A comment above a part belongs to it. */
export const listParts = (text: string): readonly Part[] => {
  const file = ts.createSourceFile('part.ts', text, ts.ScriptTarget.ES2023, true);
  const found: [string, ts.Node][] = [];
  const visit = (node: ts.Node): void => {
    if (node.parent === file) found.push(...partsOfStatement(node));
    if (ts.isCallExpression(node)) found.push(...partsOfCall(node));
    ts.forEachChild(node, visit);
  };
  ts.forEachChild(file, visit);
  return found.map(([name, node]) => ({
    name,
    line: file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1,
    code: withoutLayout(node.getFullText(file)),
  }));
};
