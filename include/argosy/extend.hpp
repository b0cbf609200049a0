// The three namespaces of argosy, from the one for programs to the one that may change on any day.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace argosy {

// The names that authors of policies, handles, worlds, representations and formats write. Programs
// that read and write files do without them.
namespace extend {}

// The implementation. Its names may change with any release.
namespace detail {
using namespace extend;
}
namespace lab {
using namespace extend;
}
namespace mpiio {
using namespace extend;
}
namespace tool {
using namespace extend;
}
namespace wire {
using namespace extend;
}

}  // namespace argosy
