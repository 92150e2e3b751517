/* SPDX-License-Identifier: Apache-2.0
 *
 * Semantic search with a real transformer, on oclDNN's public interface alone. Read forward.c first: it is the model.
 */
#include "options.h"

#include "complain.h"

#include <stdio.h>

#define SKIPPED 77 /* what test runners take for a skipped test */

static int run(struct session *session, const struct options *options)
{
    if (options->verify != NULL)
        return verify(session, options);
    if (options->worker)
        return worker(session);
    if (options->profile)
        return profile(session);
    return search(session, options);
}

int main(int argc, char **argv)
{
    struct options options;
    struct session session;
    int status;

    options_read(&options, argc, argv);
    if (!options_have_weights(&options)) {
        complain("there are no weights in %s; tools/demo brings them", options.model);
        if (options.verify != NULL)
            printf("0 passed, 0 failed, 1 skipped\n");
        return options.verify != NULL ? SKIPPED : 1;
    }
    if (!session_open(&session, &options))
        return 1;
    status = run(&session, &options);
    session_close(&session);
    return status;
}
