/** Tasks of type `lift`: the program on the command line, with its messages among the problems. */
import * as vscode from 'vscode';

import type { LiftServer } from './server';

const TYPE = 'lift';

interface Definition extends vscode.TaskDefinition {
    type: typeof TYPE;
    command: 'check' | 'build' | 'fmt';
    /** Files, or folders for `check`; variables such as `${file}` are expanded. */
    args?: string[];
}

/** Tasks that are offered without a definition in `tasks.json`. */
const OFFERED: { name: string; definition: Definition; group: vscode.TaskGroup }[] = [
    {
        name: 'check this file',
        definition: { type: TYPE, command: 'check', args: ['${file}'] },
        group: vscode.TaskGroup.Test,
    },
    {
        name: 'build this file',
        definition: { type: TYPE, command: 'build', args: ['${file}', '-o', '${fileDirname}'] },
        group: vscode.TaskGroup.Build,
    },
];

export function registerTasks(server: LiftServer): vscode.Disposable {
    return vscode.tasks.registerTaskProvider(TYPE, {
        provideTasks: () =>
            OFFERED.flatMap(({ name, definition, group }) => {
                const made = task(server, definition, name, vscode.TaskScope.Workspace);
                if (made !== undefined) made.group = group;
                return made ?? [];
            }),
        resolveTask: ({ definition, name, scope }) =>
            task(server, definition as Definition, name, scope ?? vscode.TaskScope.Workspace),
    });
}

function task(
    server: LiftServer,
    definition: Definition,
    name: string,
    scope: vscode.TaskScope | vscode.WorkspaceFolder,
): vscode.Task | undefined {
    const state = server.state;
    // The same executable as the language server's.
    if (state.kind !== 'running') return undefined;
    const run = new vscode.ProcessExecution(state.server.file, [definition.command, ...(definition.args ?? [])]);
    return new vscode.Task(definition, scope, name, 'lift', run, '$lift');
}
